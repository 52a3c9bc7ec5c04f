import { createHash } from 'node:crypto';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { computeConfigOf, getListenerItem } from '../../core/items/listeners.ts';
import { findPlacement, type Placement, placementState, placementsOn } from '../../core/items/placements.ts';
import type { getDesired as row } from './routes.ts';
import type { DesiredResponse } from './shape.ts';

type Input = RouteInput<typeof row>;

/**
 * What should run on a listener, whole in one answer, or of the deployments that it names, and how the
 * listener is configured. A listener that has the version already is not answered with the rows again: that
 * costs the same however many there are.
 */
export async function getDesired(
  deps: Pick<Deps, 'table'>,
  { params, query, headers }: Pick<Input, 'params'> & Partial<Pick<Input, 'query' | 'headers'>>,
  caller: Caller,
): Promise<DesiredResponse> {
  const ref = { tenantId: caller.tenantId, listenerId: params.listener_id };
  const listener = await getListenerItem(deps.table, ref.tenantId, ref.listenerId);
  const compute_config = computeConfigOf(listener);
  const versionAt = (placed: string) => `${placed}.${digestOf(compute_config)}`;
  const ids = query?.deployment_ids;
  if (headers?.ifNoneMatch !== undefined || ids !== undefined) {
    const version = versionAt((await placementState(deps.table, ref)).placed);
    // The rows are not sent: the answer is a 304.
    if (headers?.ifNoneMatch?.includes(`"${version}"`) === true)
      return { version, complete: false, deployments: [] };
    if (ids !== undefined) {
      const asked = ids.map((id) => findPlacement(deps.table, ref, id));
      const found = (await Promise.all(asked)).filter((each) => each !== undefined);
      return { version, complete: false, compute_config, deployments: found.map(rowViewOf) };
    }
  }
  const { version: placed, placements } = await placementsOn(deps.table, ref);
  return {
    version: versionAt(placed),
    complete: true,
    compute_config,
    deployments: placements.map(rowViewOf),
  };
}

const DIGEST_LENGTH = 16;

/** Configurations with the same members have one digest: the table keeps no order of them. */
const digestOf = (config: object): string =>
  createHash('sha256').update(JSON.stringify(config, sorted)).digest('base64url').slice(0, DIGEST_LENGTH);

const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

const rowViewOf = (found: Placement): DesiredResponse['deployments'][number] => ({
  deployment_id: found.deployment_id,
  epoch: found.epoch,
  revision_id: found.revision_id ?? null,
  held: found.held,
  custom_url: found.custom_url,
  ...(found.release_threads !== undefined && { release_threads: found.release_threads }),
  ...(found.delete_data === true && { delete_data: true }),
});
