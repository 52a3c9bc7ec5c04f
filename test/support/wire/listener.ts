import { endRevision } from '../../../lib/core/engine/end-revision.ts';
import { settle } from '../world/deleting.ts';
import type { openWithListener } from './wired-world.ts';

/** Each route that a listener asks, and those that show it, to its success. */
export async function expectListener({
  ask,
  offer,
  world,
  listenerId: listener_id,
  listenerKey: key,
}: Awaited<ReturnType<typeof openWithListener>>): Promise<void> {
  await ask('getListener', { params: { listener_id } });
  await ask('listListeners');
  const { id: deployment_id, revisionId: revision_id } = await offer('a');
  const params = { listener_id };
  const { tasks } = await ask('claimTasks', { key, params, body: { instance_id: 'i' } });
  const [{ task_id, lease_id } = { task_id: '', lease_id: '' }] = tasks;
  const ofTask = { key, params: { listener_id, task_id } };
  const lines = [{ timestamp: Date.now(), message: 'it starts' }];
  await ask('heartbeatTask', { ...ofTask, body: { lease_id } });
  await ask('heartbeatTask', { ...ofTask, body: { lease_id, status_message: 'no room' } });
  await ask('shipTaskLogs', { ...ofTask, body: { lease_id, lines } });
  await ask('getDesired', { key, params });
  const minute = Math.floor(world.deps.clock.now() / 60_000);
  const counts = [
    {
      deployment_id,
      revision_id,
      minute,
      requests: { all: 3, '2xx': 2, '5xx': 1, failed: 1 },
      servers_ready: 1,
    },
  ];
  const missing = [{ what: 'cpu', why: 'Nobody measures processors here.' }];
  await ask('claimTasks', { key, params, body: { instance_id: 'i', holding: [task_id], counts, missing } });
  for (const query of [{}, { step: '3600' }])
    await ask('getDeploymentMetrics', { params: { deployment_id }, query });
  await ask('exposeMetrics');
  await ask('listDeployments', { query: { traffic: 'true' } });
  await ask('getSpec', { key, params: { listener_id, deployment_id } });
  await ask('completeTask', { ...ofTask, body: { lease_id, outcome: 'succeeded' } });
  await ask('shipLogs', { key, params, body: { batches: [{ deployment_id, revision_id, lines }] } });
  const ended = { tenantId: world.caller.tenantId, deploymentId: deployment_id, revisionId: revision_id };
  await endRevision(world.deps, ended);
  const byStatus: Tell = (reports) => ask('reportStatus', { key, params, body: { reports } });
  await expectReports({ ask, world }, ended, byStatus);
  const other = await offer('b');
  const [next] = (await ask('claimTasks', { key, params, body: { instance_id: 'i' } })).tasks;
  const succeeded = { lease_id: next?.lease_id ?? '', outcome: 'succeeded' };
  const ofNext = { key, params: { listener_id, task_id: next?.task_id ?? '' } };
  await ask('completeTask', { ...ofNext, body: succeeded });
  const endedToo = { ...ended, deploymentId: other.id, revisionId: other.revisionId };
  await endRevision(world.deps, endedToo);
  const byClaim: Tell = (reports) => ask('claimTasks', { key, params, body: { instance_id: 'i', reports } });
  await expectReports({ ask, world }, endedToo, byClaim);
}

type Tell = (reports: object[]) => Promise<unknown>;

/** What is told of a deployment until nothing of it runs any more. */
async function expectReports(
  { ask, world }: Pick<Awaited<ReturnType<typeof openWithListener>>, 'ask' | 'world'>,
  { deploymentId: deployment_id, revisionId: revision_id }: { deploymentId: string; revisionId: string },
  tell: Tell,
): Promise<void> {
  // What is known is remembered from five reports on.
  const report = { deployment_id, epoch: 1, revision_id, healthy: true };
  const known = Array.from({ length: 5 }, () => report);
  const threads = [{ revision_id, runs: 1, waiting: 0, oldest_at: null }];
  for (const reports of [known, [{ ...report, healthy: false, threads }]]) await tell(reports);
  const ofIt = { params: { deployment_id } };
  await ask('deleteDeployment', ofIt);
  await ask('deleteDeployment', { ...ofIt, query: { force: 'true' } });
  await settle(world, deployment_id);
  await tell([{ ...report, epoch: 99, revision_id: null }]);
}
