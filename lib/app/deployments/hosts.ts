import { type ApiError, refuse } from '../../contract/errors.ts';
import { customAddress, ownAddress } from '../../contract/text.ts';
import { absent, any, check, equals, put, remove } from '../../store/expressions.ts';
import type { Deployment } from '../../store/items.ts';
import { hostKey } from '../../store/keys.ts';
import { hostClaim } from '../../store/listeners.ts';
import { find, type Item, type Write } from '../../store/operations.ts';
import { placementKey } from '../../store/placement-keys.ts';
import { findPlacement, replaceAddress } from '../../store/placements.ts';
import type { Deps } from '../deps.ts';
import { waitsFor } from './waits-for.ts';

type Claimant = Pick<Deployment, 'tenant_id' | 'id' | 'listener_id' | 'config'>;

/** The host of a deployment's own address, as all spellings of it have it; undefined without such an address. */
function hostOf({ config: { custom_url: url } }: Claimant): string | undefined {
  return url === undefined ? undefined : new URL(customAddress(url)).hostname.replace(/\.$/, '');
}

const keyOf = (claimant: Claimant, host: string) => hostKey(claimant.tenant_id, claimant.listener_id, host);

/** The writes that claim the host of a deployment's own address on its listener. None without one. */
export function claimHost(claimant: Claimant): Write[] {
  const host = hostOf(claimant);
  if (host === undefined) return [];
  const { tenant_id, id } = claimant;
  const item = { v: 1, entity: 'host_claim', tenant_id, deployment_id: id };
  return [put('host', { ...keyOf(claimant, host), ...item }, any(absent('pk'), equals('deployment_id', id)))];
}

/** The writes that give the host up: when the address changes, and when the deployment goes. None when it is not the deployment's. */
export async function releaseHost({ table }: Pick<Deps, 'table'>, claimant: Claimant): Promise<Write[]> {
  const host = hostOf(claimant);
  if (host === undefined) return [];
  const key = keyOf(claimant, host);
  const claim = await find(table, key, hostClaim);
  if (claim?.deployment_id !== claimant.id) return [];
  return [remove('former_host', key, equals('deployment_id', claimant.id))];
}

/** The writes that a change of the address needs; none when its host stays. */
export async function moveHost(
  deps: Pick<Deps, 'table'>,
  before: Claimant,
  after: Claimant,
): Promise<Write[]> {
  if (hostOf(before) === hostOf(after)) return [];
  return [...(await releaseHost(deps, before)), ...claimHost(after)];
}

/** The writes that tell the listener of another address without a revision: what it should run has it beside. None when it stays. */
export async function tellAddress(
  { table }: Pick<Deps, 'table'>,
  before: Claimant,
  after: Claimant,
): Promise<Write[]> {
  const address = ownAddress(after.config.custom_url);
  if (address === ownAddress(before.config.custom_url)) return [];
  const { tenant_id: tenantId, listener_id: listenerId, id } = after;
  const placed = await findPlacement(table, { tenantId, listenerId }, id);
  // The first task of a deployment comes with its row, which has the address as it is then.
  return placed === undefined
    ? [check('placement', placementKey(tenantId, listenerId, id), absent('pk'))]
    : replaceAddress({ tenantId, listenerId }, id, address);
}

/** The refusal that a transaction failed for when another deployment has the host. */
export async function hostTaken(
  deps: Pick<Deps, 'table'>,
  failed: Map<string, Item | undefined>,
  claimant: Claimant,
): Promise<ApiError | undefined> {
  const taken = hostClaim.safeParse(failed.get('host')).data;
  if (taken === undefined) return undefined;
  const { deployment_id: deploymentId } = taken;
  return refuse('host_taken', {
    host: hostOf(claimant) ?? '',
    deploymentId,
    waitsFor: await waitsFor(deps, taken),
  });
}
