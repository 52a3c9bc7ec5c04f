import { describe, expect, it } from 'vitest';
import { load } from '../../../lib/app/engine/situation.ts';
import { cancelTask } from '../../../lib/app/engine/tasks.ts';
import { completeTask } from '../../../lib/app/listener-protocol/complete.ts';
import { getDesired } from '../../../lib/app/listener-protocol/desired.ts';
import { heartbeatTask } from '../../../lib/app/listener-protocol/heartbeat.ts';
import { shipLogs } from '../../../lib/app/listener-protocol/logs.ts';
import { getSpec } from '../../../lib/app/listener-protocol/spec.ts';
import { reportStatus } from '../../../lib/app/listener-protocol/status.ts';
import { shipTaskLogs } from '../../../lib/app/listener-protocol/task-logs.ts';
import { desiredResponse, type StatusRequest } from '../../../lib/contract/listener-protocol.ts';
import { isWrite } from '../../support/table/writes.ts';
import { artifact, claim, type Listening, listening, offered } from '../../support/world/listening.ts';
import { ended, inProgress } from '../../support/world/processed.ts';
import { github, post, refusedWith, register, show } from '../../support/world/requests.ts';

const report = ({ plane, listenerId }: Listening, ...reports: StatusRequest['reports']) =>
  reportStatus(plane.deps, { params: { listener_id: listenerId }, body: { reports } }, plane.caller);

const ship = (
  { plane, listenerId }: Listening,
  deployment_id: string,
  revision_id: string,
  message: string,
) => {
  const lines = [{ timestamp: Date.now(), level: 'INFO' as const, message }];
  return shipLogs(
    plane.deps,
    { params: { listener_id: listenerId }, body: { batches: [{ deployment_id, revision_id, lines }] } },
    plane.caller,
  );
};

const spec = ({ plane, listenerId }: Listening, deployment_id: string) =>
  getSpec(plane.deps, { params: { listener_id: listenerId, deployment_id } }, plane.caller);

const desired = ({ plane, listenerId }: Listening) =>
  getDesired(plane.deps, { params: { listener_id: listenerId } }, plane.caller);

async function messages({ plane }: Listening, deploymentId: string): Promise<string[]> {
  const stream = { tenantId: plane.caller.tenantId, deploymentId, type: 'deploy' } as const;
  const { entries } = await plane.deps.logs.query(stream, { order: 'asc', limit: 100 });
  return entries.map((entry) => entry.message);
}

describe('a listener that is not there', () => {
  it('is 404 on every route, and leaves no trace', async () => {
    const { plane } = await listening();
    const nobody = { plane, listenerId: plane.deps.clock.randomId() };
    const { id, revisionId } = await offered(nobody, 'a');
    const gone = `404 Listener ID ${nobody.listenerId} not found.`;
    for (const ask of [
      () => claim(nobody),
      () => report(nobody),
      () => ship(nobody, id, revisionId, 'x'),
      () => desired(nobody),
    ]) {
      expect(await refusedWith(ask())).toBe(gone);
    }
    expect(await refusedWith(spec(nobody, id))).toBe(`404 Deployment ID ${id} not found.`);
  });
});

describe('claims', () => {
  it('give at most as many tasks as asked for, the oldest first, and the rest later', async () => {
    const self = await listening();
    const made = [await offered(self, 'a'), await offered(self, 'b'), await offered(self, 'c')];
    const first = await claim(self, 2);
    expect(first.tasks.map((task) => task.deployment_id)).toEqual([made[0]?.id, made[1]?.id]);
    const other = await claim(self, 2, 'two');
    expect(other.tasks.map((task) => task.deployment_id)).toEqual([made[2]?.id]);
    expect(await claim(self, 2, 'three')).toEqual({ tasks: [], cancelled: [], poll_after_seconds: 5 });
  });

  it('do not take over an expired lease before it was looked at; its holder may go on', async () => {
    const self = await listening();
    await offered(self, 'a');
    const [task] = (await claim(self)).tasks;
    self.plane.advance(61);
    expect((await claim(self, 10, 'two')).tasks).toEqual([]);
    const params = { listener_id: self.listenerId, task_id: task?.task_id ?? '' };
    const body = { lease_id: task?.lease_id ?? '' };
    expect(await heartbeatTask(self.plane.deps, { params, body }, self.plane.caller)).toEqual({
      stop: false,
    });
  });

  it('carry all that the deploy needs, secrets in plain too', async () => {
    const self = await listening();
    const secrets = [{ name: 'TOKEN', value: 'a-secret' }];
    const { id, revisionId } = await offered(self, 'a', secrets);
    const [task] = (await claim(self)).tasks;
    expect(task).toMatchObject({
      kind: 'DEPLOY',
      deployment_id: id,
      deployment_name: 'a',
      revision_id: revisionId,
      epoch: 1,
      environment: secrets,
      artifact: {
        kind: 'folder',
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1\/blobs\/builds\/one\.tar\?/),
        sha256: artifact.sha256,
      },
      graph_config_path: 'langgraph.json',
      custom_url: null,
    });
    expect(await spec(self, id)).toMatchObject({ revision_id: revisionId, environment: secrets });
  });
});

describe('what belongs to a task', () => {
  it('needs its lease: another’s is 409, an unknown task 404', async () => {
    const self = await listening();
    const { id } = await offered(self, 'a', [{ name: 'TOKEN', value: 'a-secret' }]);
    const { plane, listenerId } = self;
    const [task] = (await claim(self)).tasks;
    const lines = [{ timestamp: Date.now(), level: 'INFO' as const, message: 'token is a-secret' }];
    const asked = (task_id: string, lease_id: string) => {
      const params = { listener_id: listenerId, task_id };
      return [
        () => shipTaskLogs(plane.deps, { params, body: { lease_id, lines } }, plane.caller),
        () => heartbeatTask(plane.deps, { params, body: { lease_id } }, plane.caller),
        () => completeTask(plane.deps, { params, body: { lease_id, outcome: 'failed' } }, plane.caller),
      ];
    };
    const [taskId, lease, unknown] = [task?.task_id ?? '', task?.lease_id ?? '', plane.deps.clock.randomId()];
    for (const ask of asked(taskId, unknown)) {
      expect(await refusedWith(ask())).toBe(`409 Task ${taskId} is held under another lease; touch nothing.`);
    }
    for (const ask of asked(unknown, lease))
      expect(await refusedWith(ask())).toBe(`404 Task ID ${unknown} not found.`);
    expect(await messages(self, id)).toEqual([]);
    await asked(taskId, lease)[0]?.();
    expect(await messages(self, id)).toEqual(['token is ***']);
  });

  it('can be said to have stopped by the instance that held it, under a lease it never heard the renewal of', async () => {
    const self = await listening();
    const { plane, listenerId } = self;
    const { id } = await offered(self, 'a');
    const [known] = (await claim(self)).tasks;
    await claim(self); // renews the lease; the answer is lost
    const params = { listener_id: listenerId, task_id: known?.task_id ?? '' };
    const stopped = (instance_id: string) => {
      const body = { lease_id: known?.lease_id ?? '', instance_id, outcome: 'stopped' } as const;
      return completeTask(plane.deps, { params, body }, plane.caller);
    };
    const taken = `409 Task ${params.task_id} is held under another lease; touch nothing.`;
    expect(await refusedWith(stopped('one'))).toBe(taken);
    const owner = { tenantId: plane.caller.tenantId, deploymentId: id };
    const loaded = await load(plane.deps, owner);
    if (loaded !== undefined) await cancelTask(plane.deps, loaded);
    expect(await refusedWith(stopped('two'))).toBe(taken);
    expect(await stopped('one')).toEqual({ accepted: true });
    expect((await load(plane.deps, owner))?.task).toBeUndefined();
  });

  it('has no secret in what the listener says of its end', async () => {
    const self = await listening();
    const { id } = await offered(self, 'a', [{ name: 'TOKEN', value: 'a-secret' }]);
    const [task] = (await claim(self)).tasks;
    const params = { listener_id: self.listenerId, task_id: task?.task_id ?? '' };
    const body = {
      lease_id: task?.lease_id ?? '',
      outcome: 'failed',
      status_message: 'a-secret is wrong',
    } as const;
    const complete = () => completeTask(self.plane.deps, { params, body }, self.plane.caller);
    expect(await complete()).toEqual({ accepted: true });
    expect(await complete()).toEqual({ accepted: true });
    const loaded = await load(self.plane.deps, { tenantId: self.plane.caller.tenantId, deploymentId: id });
    expect(loaded?.slotRevision?.outcome).toMatchObject({ result: 'failed', message: '*** is wrong' });
  });
});

describe('a report of status', () => {
  it('of the active revision decides whether the deployment is READY', async () => {
    const self = await listening();
    const { id } = await post(self.plane, github('a'));
    const active = await ended(self.plane, id, 'DEPLOYED', { outcome: { epoch: 5 } });
    const of = { deployment_id: id, revision_id: active.id, epoch: 5, healthy: true };
    const status = async () => (await show(self.plane, id)).status;
    expect(await report(self, of)).toEqual({ accepted: 1 });
    expect(await status()).toBe('READY');
    expect(await report(self, { ...of, healthy: false, reason: 'it crashed' })).toEqual({ accepted: 1 });
    expect(await status()).toBe('UNKNOWN');
    expect(await report(self, { ...of, epoch: 4 })).toEqual({ accepted: 0 });
    expect(await status()).toBe('UNKNOWN');
    expect(await report(self, { ...of, url: 'http://localhost:4401/d/other' })).toEqual({ accepted: 1 });
    expect((await show(self.plane, id)).source_config.custom_url).toBe('http://localhost:4401/d/other');
    expect(await report(self, { ...of, revision_id: null })).toEqual({ accepted: 1 });
    expect(await status()).toBe('UNKNOWN');
  });

  it('that says nothing new writes nothing', async () => {
    const self = await listening();
    const { id } = await post(self.plane, github('a'));
    const active = await ended(self.plane, id, 'DEPLOYED');
    const bad = { deployment_id: id, revision_id: active.id, epoch: 9, healthy: false, reason: 'no answer' };
    await report(self, bad);
    let writes = 0;
    self.plane.deps.table.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (isWrite(commandName)) writes += 1;
          return next(args);
        },
      { step: 'initialize', name: 'counted' },
    );
    expect(await report(self, bad, bad)).toEqual({ accepted: 2 });
    expect(writes).toBe(0);
    await report(self, { ...bad, reason: 'another' });
    expect(writes).toBe(1);
  });

  it('of a deployment on another listener, or of none, is not taken', async () => {
    const self = await listening();
    const { id } = await post(self.plane, github('a'));
    const of = { deployment_id: id, revision_id: null, epoch: 1, healthy: true };
    expect(await report(self, of, { ...of, deployment_id: self.plane.deps.clock.randomId() })).toEqual({
      accepted: 0,
    });
    const active = await ended(self.plane, id, 'DEPLOYED');
    const other = { plane: self.plane, listenerId: (await register(self.plane, 'other')).id };
    expect(await report(other, { ...of, epoch: 9, revision_id: active.id })).toEqual({ accepted: 0 });
  });
});

describe('log lines of agent servers', () => {
  it('are masked, and taken only of deployments on the listener', async () => {
    const self = await listening();
    const { id } = await post(
      self.plane,
      github('a', {
        secrets: [
          { name: 'A', value: 'long-secret' },
          { name: 'B', value: 'short' },
        ],
      }),
    );
    const { id: revisionId } = await ended(self.plane, id, 'DEPLOYED');
    expect(await ship(self, id, revisionId, 'long-secret and short')).toEqual({ accepted: 1 });
    const other = { plane: self.plane, listenerId: (await register(self.plane, 'other')).id };
    expect(await ship(other, id, revisionId, 'foreign')).toEqual({ accepted: 0 });
    expect(await ship(self, id, self.plane.deps.clock.randomId(), 'of no revision')).toEqual({ accepted: 0 });
    expect(await messages(self, id)).toEqual(['*** and short']);
  });
});

describe('spec', () => {
  it('is 404 of a deployment on another listener, and before anything is offered', async () => {
    const self = await listening();
    const { id } = await post(self.plane, github('a'));
    const gone = `404 Deployment ID ${id} not found.`;
    expect(await refusedWith(spec(self, id))).toBe(gone);
    await inProgress(self.plane, id, 'BUILDING');
    expect(await refusedWith(spec(self, id))).toBe(gone);
    const deployed = await offered(self, 'b');
    const other = { plane: self.plane, listenerId: (await register(self.plane, 'other')).id };
    expect(await refusedWith(spec(other, deployed.id))).toBe(`404 Deployment ID ${deployed.id} not found.`);
  });
});

describe('desired', () => {
  it('has the same version as long as nothing changes', async () => {
    const self = await listening();
    const empty = await desired(self);
    expect(empty).toMatchObject({ complete: true, deployments: [] });
    const [one, two] = [await offered(self, 'a'), await offered(self, 'b')];
    const before = await desired(self);
    expect(desiredResponse.parse(before)).toEqual(before);
    expect(before.version).not.toBe(empty.version);
    expect(before.deployments).toEqual([
      { deployment_id: one.id, epoch: 1, revision_id: null, held: true, custom_url: null },
      { deployment_id: two.id, epoch: 1, revision_id: null, held: true, custom_url: null },
    ]);
    await claim(self);
    await post(self.plane, github('c'));
    expect(await desired(self)).toEqual(before);
    expect(
      (await desired({ ...self, listenerId: (await register(self.plane, 'other')).id })).deployments,
    ).toEqual([]);
  });
});
