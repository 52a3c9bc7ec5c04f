import { describe, expect, it } from 'vitest';
import { load } from '../../../lib/core/engine/load.ts';
import { cancelTask } from '../../../lib/core/engine/tasks.ts';
import { completeTask } from '../../../lib/features/listener-protocol/complete.ts';
import { getDesired } from '../../../lib/features/listener-protocol/desired.ts';
import { heartbeatTask } from '../../../lib/features/listener-protocol/heartbeat.ts';
import { shipLogs } from '../../../lib/features/listener-protocol/logs.ts';
import { desiredResponse, type StatusReports } from '../../../lib/features/listener-protocol/shape.ts';
import { getSpec } from '../../../lib/features/listener-protocol/spec.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { shipTaskLogs } from '../../../lib/features/listener-protocol/task-logs.ts';
import { isWrite } from '../../support/table/writes.ts';
import { artifact, claim, type Listening, listening, offered } from '../../support/world/listening.ts';
import { ended, inProgress } from '../../support/world/processed.ts';
import { github, post, refusedWith, register, show } from '../../support/world/requests.ts';

const report = (world: Listening, ...reports: StatusReports) =>
  reportStatus(world.deps, { params: { listener_id: world.listenerId }, body: { reports } }, world.caller);

const ship = (world: Listening, deployment_id: string, revision_id: string, message: string) => {
  const lines = [{ timestamp: Date.now(), level: 'INFO' as const, message }];
  return shipLogs(
    world.deps,
    { params: { listener_id: world.listenerId }, body: { batches: [{ deployment_id, revision_id, lines }] } },
    world.caller,
  );
};

const spec = (world: Listening, deployment_id: string) =>
  getSpec(world.deps, { params: { listener_id: world.listenerId, deployment_id } }, world.caller);

const desired = (world: Listening) =>
  getDesired(world.deps, { params: { listener_id: world.listenerId } }, world.caller);

async function messages(world: Listening, deploymentId: string): Promise<string[]> {
  const stream = { tenantId: world.caller.tenantId, deploymentId, type: 'deploy' } as const;
  const { entries } = await world.deps.logs.query(stream, { order: 'asc', limit: 100 });
  return entries.map((entry) => entry.message);
}

describe('a listener that is not there', () => {
  it('is 404 on every route, and leaves no trace', async () => {
    const world = await listening();
    const nobody = { ...world, listenerId: world.deps.clock.randomId() };
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
    const world = await listening();
    const made = [await offered(world, 'a'), await offered(world, 'b'), await offered(world, 'c')];
    const first = await claim(world, 2);
    expect(first.tasks.map((task) => task.deployment_id)).toEqual([made[0]?.id, made[1]?.id]);
    const other = await claim(world, 2, 'two');
    expect(other.tasks.map((task) => task.deployment_id)).toEqual([made[2]?.id]);
    expect(await claim(world, 2, 'three')).toEqual({
      tasks: [],
      cancelled: [],
      poll_after_seconds: 5,
      desired_changes: 0,
    });
  });

  it('do not take over an expired lease before it was looked at; its holder may go on', async () => {
    const world = await listening();
    await offered(world, 'a');
    const [task] = (await claim(world)).tasks;
    world.advance(61);
    expect((await claim(world, 10, 'two')).tasks).toEqual([]);
    const params = { listener_id: world.listenerId, task_id: task?.task_id ?? '' };
    const body = { lease_id: task?.lease_id ?? '' };
    expect(await heartbeatTask(world.deps, { params, body }, world.caller)).toEqual({
      stop: false,
    });
  });

  it('carry all that the deploy needs, secrets in plain too', async () => {
    const world = await listening();
    const secrets = [{ name: 'TOKEN', value: 'a-secret' }];
    const { id, revisionId } = await offered(world, 'a', secrets);
    const [task] = (await claim(world)).tasks;
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
    expect(await spec(world, id)).toMatchObject({ revision_id: revisionId, environment: secrets });
  });
});

describe('what belongs to a task', () => {
  it('needs its lease: another’s is 409, an unknown task 404', async () => {
    const world = await listening();
    const { id } = await offered(world, 'a', [{ name: 'TOKEN', value: 'a-secret' }]);
    const { listenerId } = world;
    const [task] = (await claim(world)).tasks;
    const lines = [{ timestamp: Date.now(), level: 'INFO' as const, message: 'token is a-secret' }];
    const asked = (task_id: string, lease_id: string) => {
      const params = { listener_id: listenerId, task_id };
      return [
        () => shipTaskLogs(world.deps, { params, body: { lease_id, lines } }, world.caller),
        () => heartbeatTask(world.deps, { params, body: { lease_id } }, world.caller),
        () => completeTask(world.deps, { params, body: { lease_id, outcome: 'failed' } }, world.caller),
      ];
    };
    const [taskId, lease, unknown] = [task?.task_id ?? '', task?.lease_id ?? '', world.deps.clock.randomId()];
    for (const ask of asked(taskId, unknown)) {
      expect(await refusedWith(ask())).toBe(
        `409 Task ${taskId} is held under another lease; stop working on it.`,
      );
    }
    for (const ask of asked(unknown, lease))
      expect(await refusedWith(ask())).toBe(`404 Task ID ${unknown} not found.`);
    expect(await messages(world, id)).toEqual([]);
    await asked(taskId, lease)[0]?.();
    expect(await messages(world, id)).toEqual(['token is ***']);
  });

  it('can be said to have stopped by the instance that held it, under a lease it never heard the renewal of', async () => {
    const world = await listening();
    const { listenerId } = world;
    const { id } = await offered(world, 'a');
    const [known] = (await claim(world)).tasks;
    await claim(world); // renews the lease; the answer is lost
    const params = { listener_id: listenerId, task_id: known?.task_id ?? '' };
    const stopped = (instance_id: string) => {
      const body = { lease_id: known?.lease_id ?? '', instance_id, outcome: 'stopped' } as const;
      return completeTask(world.deps, { params, body }, world.caller);
    };
    const taken = `409 Task ${params.task_id} is held under another lease; stop working on it.`;
    expect(await refusedWith(stopped('one'))).toBe(taken);
    const owner = { tenantId: world.caller.tenantId, deploymentId: id };
    const loaded = await load(world.deps, owner);
    if (loaded !== undefined) await cancelTask(world.deps, loaded);
    expect(await refusedWith(stopped('two'))).toBe(taken);
    expect(await stopped('one')).toEqual({ accepted: true });
    expect((await load(world.deps, owner))?.task).toBeUndefined();
  });
});

describe('a report of status', () => {
  it('of the active revision decides whether the deployment is READY', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    const active = await ended(world, id, 'DEPLOYED', { outcome: { epoch: 5 } });
    const of = { deployment_id: id, revision_id: active.id, epoch: 5, healthy: true };
    const status = async () => (await show(world, id)).status;
    expect(await report(world, of)).toEqual({ accepted: 1 });
    expect(await status()).toBe('READY');
    expect(await report(world, { ...of, healthy: false, reason: 'it crashed' })).toEqual({ accepted: 1 });
    expect(await status()).toBe('UNKNOWN');
    expect(await report(world, { ...of, epoch: 4 })).toEqual({ accepted: 0 });
    expect(await status()).toBe('UNKNOWN');
    expect(await report(world, { ...of, url: 'http://localhost:4401/d/other' })).toEqual({ accepted: 1 });
    expect((await show(world, id)).source_config.custom_url).toBe('http://localhost:4401/d/other');
    expect(await report(world, { ...of, revision_id: null })).toEqual({ accepted: 1 });
    expect(await status()).toBe('UNKNOWN');
  });

  it('that says nothing new writes nothing', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    const active = await ended(world, id, 'DEPLOYED');
    const bad = { deployment_id: id, revision_id: active.id, epoch: 9, healthy: false, reason: 'no answer' };
    await report(world, bad);
    let writes = 0;
    world.deps.table.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (isWrite(commandName)) writes += 1;
          return next(args);
        },
      { step: 'initialize', name: 'counted' },
    );
    expect(await report(world, bad, bad)).toEqual({ accepted: 2 });
    expect(writes).toBe(0);
    await report(world, { ...bad, reason: 'another' });
    expect(writes).toBe(1);
  });

  it('of a deployment on another listener, or of none, is not taken', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    const of = { deployment_id: id, revision_id: null, epoch: 1, healthy: true };
    expect(await report(world, of, { ...of, deployment_id: world.deps.clock.randomId() })).toEqual({
      accepted: 0,
    });
    const active = await ended(world, id, 'DEPLOYED');
    const other = { ...world, listenerId: (await register(world, 'other')).id };
    expect(await report(other, { ...of, epoch: 9, revision_id: active.id })).toEqual({ accepted: 0 });
  });
});

describe('log lines of agent servers', () => {
  it('are masked, and taken only of deployments on the listener', async () => {
    const world = await listening();
    const { id } = await post(
      world,
      github('a', {
        secrets: [
          { name: 'A', value: 'long-secret' },
          { name: 'B', value: 'short' },
        ],
      }),
    );
    const { id: revisionId } = await ended(world, id, 'DEPLOYED');
    expect(await ship(world, id, revisionId, 'long-secret and short')).toEqual({ accepted: 1 });
    const other = { ...world, listenerId: (await register(world, 'other')).id };
    expect(await ship(other, id, revisionId, 'foreign')).toEqual({ accepted: 0 });
    expect(await ship(world, id, world.deps.clock.randomId(), 'of no revision')).toEqual({ accepted: 0 });
    expect(await messages(world, id)).toEqual(['*** and short']);
  });
});

describe('spec', () => {
  it('is 404 of a deployment on another listener, and before anything is offered', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    const gone = `404 Deployment ID ${id} not found.`;
    expect(await refusedWith(spec(world, id))).toBe(gone);
    await inProgress(world, id, 'BUILDING');
    expect(await refusedWith(spec(world, id))).toBe(gone);
    const deployed = await offered(world, 'b');
    const other = { ...world, listenerId: (await register(world, 'other')).id };
    expect(await refusedWith(spec(other, deployed.id))).toBe(`404 Deployment ID ${deployed.id} not found.`);
  });
});

describe('desired', () => {
  it('has the same version as long as nothing changes', async () => {
    const world = await listening();
    const empty = await desired(world);
    expect(empty).toMatchObject({ complete: true, deployments: [] });
    const [one, two] = [await offered(world, 'a'), await offered(world, 'b')];
    const before = await desired(world);
    expect(desiredResponse.parse(before)).toEqual(before);
    expect(before.version).not.toBe(empty.version);
    expect(before.deployments).toEqual([
      { deployment_id: one.id, epoch: 1, revision_id: null, held: true, custom_url: null },
      { deployment_id: two.id, epoch: 1, revision_id: null, held: true, custom_url: null },
    ]);
    await claim(world);
    await post(world, github('c'));
    expect(await desired(world)).toEqual(before);
    expect(
      (await desired({ ...world, listenerId: (await register(world, 'other')).id })).deployments,
    ).toEqual([]);
  });
});
