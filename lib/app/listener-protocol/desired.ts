import { createHash } from 'node:crypto';
import type { DesiredResponse } from '../../contract/listener-protocol.ts';
import type { getDesired as row } from '../../contract/routes/listener-protocol.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { getListenerItem, placementsOn } from '../../store/listeners.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';

/** What should run on a listener, whole in one answer; its version is a digest, so an unchanged answer is a 304. */
export async function getDesired(
  deps: Pick<Deps, 'table'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<DesiredResponse> {
  await getListenerItem(deps.table, caller.tenantId, params.listener_id);
  const deployments: DesiredResponse['deployments'] = [];
  for await (const row of placementsOn(deps.table, caller.tenantId, params.listener_id)) {
    deployments.push({
      deployment_id: row.deployment_id,
      epoch: row.epoch,
      revision_id: row.revision_id ?? null,
      held: row.held,
      ...(row.custom_url !== undefined && { custom_url: row.custom_url }),
    });
  }
  const version = createHash('sha256').update(JSON.stringify(deployments)).digest('hex').slice(0, 32);
  return { version, complete: true, deployments };
}
