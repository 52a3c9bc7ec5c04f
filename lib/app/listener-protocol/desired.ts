import type { DesiredResponse } from '../../contract/listener-protocol.ts';
import type { getDesired as row } from '../../contract/routes/listener-protocol.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Placement } from '../../store/engine/items.ts';
import { getListenerItem } from '../../store/listeners/listeners.ts';
import { findPlacement, placementState, placementsOn } from '../../store/listeners/placements.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';

type Input = RouteInput<typeof row>;

/**
 * What should run on a listener, whole in one answer, or of the deployments that it names. A listener that
 * has the version already is not answered with the rows again: that costs the same however many there are.
 */
export async function getDesired(
  deps: Pick<Deps, 'table'>,
  { params, query, headers }: Pick<Input, 'params'> & Partial<Pick<Input, 'query' | 'headers'>>,
  caller: Caller,
): Promise<DesiredResponse> {
  const owner = { tenantId: caller.tenantId, listenerId: params.listener_id };
  await getListenerItem(deps.table, owner.tenantId, owner.listenerId);
  const ids = query?.deployment_ids;
  if (headers?.ifNoneMatch !== undefined || ids !== undefined) {
    const { placed: version } = await placementState(deps.table, owner);
    // The rows are not sent: the answer is a 304.
    if (headers?.ifNoneMatch?.includes(`"${version}"`) === true)
      return { version, complete: false, deployments: [] };
    if (ids !== undefined) {
      const asked = ids.map((id) => findPlacement(deps.table, owner, id));
      const found = (await Promise.all(asked)).filter((each) => each !== undefined);
      return { version, complete: false, deployments: found.map(shown) };
    }
  }
  const { version, placements } = await placementsOn(deps.table, owner);
  return { version, complete: true, deployments: placements.map(shown) };
}

const shown = (found: Placement): DesiredResponse['deployments'][number] => ({
  deployment_id: found.deployment_id,
  epoch: found.epoch,
  revision_id: found.revision_id ?? null,
  held: found.held,
  custom_url: found.custom_url,
});
