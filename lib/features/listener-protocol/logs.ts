import { createMask } from '../../contract/mask.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import { getListenerItem } from '../../core/items/listeners.ts';
import { findRevision } from '../../core/items/revisions.ts';
import { secretValues } from '../../core/secrets.ts';
import type { shipLogs as row } from './routes.ts';

type Batch = RouteInput<typeof row>['body']['batches'][number];

/** Keeps lines of running agent servers; those of deployments that are not on this listener are not taken. */
export async function shipLogs(
  deps: Pick<Deps, 'table' | 'keys' | 'logs'>,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<{ accepted: number }> {
  await getListenerItem(deps.table, caller.tenantId, params.listener_id);
  const counts = await Promise.all(
    body.batches.map((batch) => ship(deps, batch, caller.tenantId, params.listener_id)),
  );
  return { accepted: counts.reduce((sum, count) => sum + count, 0) };
}

async function ship(
  deps: Pick<Deps, 'table' | 'keys' | 'logs'>,
  batch: Batch,
  tenantId: string,
  listenerId: string,
): Promise<number> {
  const ref = { tenantId, deploymentId: batch.deployment_id, revisionId: batch.revision_id };
  const [deployment, revision] = await Promise.all([
    findDeployment(deps.table, tenantId, batch.deployment_id),
    findRevision(deps.table, ref),
  ]);
  if (deployment?.listener_id !== listenerId || revision === undefined) return 0;
  const mask = createMask(await secretValues(deps, ref, revision));
  const lines = batch.lines.map((line) => ({ ...line, message: mask(line.message) }));
  await deps.logs.append({ ...ref, type: 'deploy' }, lines);
  return lines.length;
}
