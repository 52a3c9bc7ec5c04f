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
  await endRevision(world.deps, {
    tenantId: world.caller.tenantId,
    deploymentId: deployment_id,
    revisionId: revision_id,
  });
  // What is known is remembered from five reports on.
  const report = { deployment_id, epoch: 1, revision_id, healthy: true };
  const known = Array.from({ length: 5 }, () => report);
  for (const reports of [known, [{ ...report, healthy: false }]])
    await ask('reportStatus', { key, params, body: { reports } });
  const ofIt = { params: { deployment_id } };
  await ask('deleteDeployment', ofIt);
  await ask('deleteDeployment', { ...ofIt, query: { force: 'true' } });
  await settle(world, deployment_id);
  const gone = { ...report, epoch: 99, revision_id: null };
  await ask('reportStatus', { key, params, body: { reports: [gone] } });
}
