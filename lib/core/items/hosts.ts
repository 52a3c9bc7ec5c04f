import * as z from 'zod';
import { customAddress, ownAddress } from '../../contract/validation/text.ts';
import { absent, any, check, equals, put, remove } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import type { Item, Write } from '../../store/dynamodb/transact.ts';
import { hostKey } from '../../store/keys/index.ts';
import { placementKey } from '../../store/keys/placements.ts';
import type { Table } from '../../store/table.ts';
import type { Deployment } from './items.ts';
import { countChange, findSeen } from './listeners.ts';
import { findPlacement, replaceAddress } from './placements.ts';

/** Keeps the host of a deployment's own address taken on its listener. */
export const hostClaim = z.object({
  tenant_id: z.string(),
  v: z.literal(1),
  entity: z.literal('host_claim'),
  deployment_id: z.string(),
});

type HostClaim = z.infer<typeof hostClaim>;

type Claimant = Pick<Deployment, 'tenant_id' | 'id' | 'listener_id' | 'config'>;

/**
 * The host of a deployment's own address, as all spellings of it have it; undefined without such an address,
 * or where what is stored is none.
 */
export function hostOf({ config: { custom_url: url } }: Pick<Claimant, 'config'>): string | undefined {
  const address = url === undefined ? null : URL.parse(customAddress(url));
  return address?.hostname.replace(/\.$/, '');
}

const keyOf = (claimant: Claimant, host: string) => hostKey(claimant.tenant_id, claimant.listener_id, host);

/**
 * Claims the host of a deployment's own address on its listener. Demands that no other deployment has it. No
 * writes without an address.
 */
export function claimHost(claimant: Claimant): Write[] {
  const host = hostOf(claimant);
  if (host === undefined) return [];
  const { tenant_id, id } = claimant;
  const item = { v: 1, entity: 'host_claim', tenant_id, deployment_id: id };
  return [put('host', { ...keyOf(claimant, host), ...item }, any(absent('pk'), equals('deployment_id', id)))];
}

/** The claim that `claimHost` has failed for; undefined when something else did. */
export const claimInTheWay = (failed: Map<string, Item | undefined>): HostClaim | undefined =>
  hostClaim.safeParse(failed.get('host')).data;

/**
 * Gives the host up: when the address changes, and when the deployment goes. No writes when it is not the
 * deployment's.
 */
export async function releaseHost(table: Table, claimant: Claimant): Promise<Write[]> {
  const host = hostOf(claimant);
  if (host === undefined) return [];
  const key = keyOf(claimant, host);
  const claim = await find(table, key, hostClaim);
  if (claim?.deployment_id !== claimant.id) return [];
  return [remove('former_host', key, equals('deployment_id', claimant.id))];
}

/** Gives up the host of one address for that of another. No writes when the host stays. */
export async function moveHost(table: Table, before: Claimant, after: Claimant): Promise<Write[]> {
  if (hostOf(before) === hostOf(after)) return [];
  return [...(await releaseHost(table, before)), ...claimHost(after)];
}

/**
 * Tells the listener of another address without a revision: what it should run has it beside. No writes when
 * the address stays.
 */
export async function changeAddress(table: Table, before: Claimant, after: Claimant): Promise<Write[]> {
  const address = ownAddress(after.config.custom_url);
  if (address === ownAddress(before.config.custom_url)) return [];
  const { tenant_id: tenantId, listener_id: listenerId, id } = after;
  const placed = await findPlacement(table, { tenantId, listenerId }, id);
  // The first task of a deployment comes with its row, which has the address as it is then.
  if (placed === undefined) return [check('placement', placementKey(tenantId, listenerId, id), absent('pk'))];
  const owner = { tenantId, listenerId };
  // One that has never called looks at everything when it does.
  const seen = await findSeen(table, tenantId, listenerId);
  return [...replaceAddress(owner, id, address), ...(seen === undefined ? [] : [countChange(owner)])];
}
