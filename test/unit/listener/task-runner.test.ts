import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ListenerTask } from '../../../lib/features/listener-protocol/shape.ts';
import { pause } from '../../../lib/listener/backoff.ts';
import type { ControlPlane } from '../../../lib/listener/control-plane.ts';
import type { DeployHooks, DeployResult } from '../../../lib/listener/driver.ts';
import { createLog } from '../../../lib/listener/log.ts';
import { TaskRunner } from '../../../lib/listener/task-runner.ts';
import { until } from '../../support/until.ts';
import { plainSpec } from '../../support/world/deploy-spec.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const taskOf = (n: number): ListenerTask => ({
  ...plainSpec({
    deployment_id: id(n),
    deployment_name: `app-${n}`,
    tenant_id: id(100),
    revision_id: id(200 + n),
    artifact: { kind: 'image', uri: 'registry.example/app@sha256:1' },
  }),
  ...{ kind: 'DEPLOY', task_id: id(300 + n), lease_id: id(400 + n), lease_seconds: 60 },
});

const succeeded: DeployResult = { outcome: 'succeeded', url: 'http://agents.test/app' };

/** A runner whose driver deploys as `deploy` does; what is reported to the driver comes in order. */
function aRunner(
  deploy: (hooks: DeployHooks) => Promise<DeployResult>,
  complete: ControlPlane['complete'],
  tasksAtOnce = 4,
) {
  const reported: [string, boolean][] = [];
  const beats: object[] = [];
  const begun: string[] = [];
  const removed: string[] = [];
  const runner = new TaskRunner({
    controlPlane: {
      heartbeat: async (_taskId, { lease_id: _, ...body }) => (beats.push(body), { stop: false }),
      complete,
      taskLogs: async () => 'accepted',
    },
    driver: {
      tasksAtOnce,
      deploy: ({ deployment_id }, hooks) => {
        begun.push(deployment_id);
        return deploy(hooks);
      },
      reported: async (deploymentId, accepted) => void reported.push([deploymentId, accepted]),
      remove: async (_id, epoch, data) => void removed.push(`${epoch} ${data}`),
      epochOf: () => undefined,
    },
    shipper: { flush: async () => undefined, push: () => undefined },
    leases: {
      instanceId: 'one',
      leaseOf: () => undefined,
      keepLease: () => undefined,
      forgetLease: () => undefined,
    },
    log: createLog('error', () => undefined),
    pause,
    stopping: new AbortController().signal,
    claimAgain: async () => undefined,
    onEnded: () => undefined,
  });
  return { runner, reported, begun, beats, removed };
}

it.each([
  ['accepted', async () => ({ accepted: true }), true],
  ['late', async () => ({ accepted: false }), false],
  ['of a task that another one holds', async () => 'conflict' as const, false],
  ['lost', () => Promise.reject(new Error('no connection')), false],
])('tells the driver how its report came out: %s', async (_name, complete, accepted) => {
  const { runner, reported } = aRunner(async () => succeeded, complete);
  runner.accept(taskOf(1));
  await runner.finished();
  expect(reported).toEqual([[id(1), accepted]]);
});

it('removes with its data what is deleted, and leaves no dump where none is wanted', async () => {
  const { runner, removed } = aRunner(
    async () => succeeded,
    async () => ({ accepted: true }),
  );
  const { kind: _, ...of } = taskOf(1);
  for (const delete_data of [undefined, false, true])
    runner.accept({
      kind: 'DELETE',
      task_id: randomUUID(),
      lease_id: of.lease_id,
      lease_seconds: of.lease_seconds,
      deployment_id: of.deployment_id,
      epoch: 3,
      revision_id: null,
      ...(delete_data !== undefined && { delete_data }),
    });
  await runner.finished();
  expect(removed).toEqual(['3 deleted', '3 deleted', '3 deleted-at-once']);
});

it('works on as many tasks at once as its driver says', async () => {
  const { promise, resolve } = Promise.withResolvers<DeployResult>();
  const { runner, begun } = aRunner(
    () => promise,
    async () => ({ accepted: true }),
    2,
  );
  for (const n of [1, 2, 3]) runner.accept(taskOf(n));
  await until(() => begun.length > 1, { what: 'two deploys', firstMs: 1 });
  expect(begun).toEqual([id(1), id(2)]);
  resolve(succeeded);
  await runner.finished();
  expect(begun).toEqual([id(1), id(2), id(3)]);
});

it('tells what a deploy waits for once, and that it goes on with the word that traffic moves', async () => {
  const reports: object[] = [];
  const { runner, beats } = aRunner(
    async ({ waitsFor, announceSwitch }) => {
      waitsFor('No room.');
      waitsFor('No room.');
      await until(() => beats.length > 0, { what: 'a heartbeat', firstMs: 1 });
      waitsFor(undefined);
      await announceSwitch();
      return { ...succeeded, remark: 'No way in.' };
    },
    async (_taskId, body) => (reports.push(body), { accepted: true }),
  );
  runner.accept(taskOf(1));
  await runner.finished();
  expect(beats).toEqual([
    { phase: 'starting', status_message: 'No room.' },
    { phase: 'switching', status_message: '' },
  ]);
  expect(reports).toMatchObject([{ outcome: 'succeeded', status_message: 'No way in.' }]);
});
