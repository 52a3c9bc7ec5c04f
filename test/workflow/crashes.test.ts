import { describe, expect, it } from 'vitest';
import { BuildsAtCapacity } from '../../lib/adapters/builds.ts';
import { isWrite } from '../support/table/writes.ts';
import { until } from '../support/until.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import {
  claimed,
  complete,
  create,
  deploy,
  deployBuilt,
  get,
  githubBody,
  heartbeat,
  interrupt,
  patch,
  reaches,
} from '../support/world/steps.ts';

const buildStarted = (world: RunningWorld, name: string): Promise<unknown> =>
  until(() => world.deps.builds.jobs.has(`build-${name}`), {
    timeoutMs: 60_000,
    what: `the build ${name}`,
  });

/** Sweeps every minute until the build has started. */
const startedInTime = (world: RunningWorld, name: string): Promise<unknown> =>
  until(
    async () => {
      if (world.deps.builds.jobs.has(`build-${name}`)) return true;
      await later(world);
      return false;
    },
    { timeoutMs: 60_000, what: `the build ${name}` },
  );

const later = (world: RunningWorld): Promise<unknown> => {
  world.advance(61);
  return world.sweep();
};

const statuses = async (world: RunningWorld, id: string, revisionId: string): Promise<string[]> =>
  (await get(world, id, revisionId)).status_history.map(({ status }) => status);

describe('a crash of the control plane', () => {
  it('while a build is at work builds again, in order, and says so in the log', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await create(world, githubBody('app'));
    await buildStarted(world, first);
    await world.deps.builds.become(`build-${first}`, { state: 'running' });
    const { latest_revision_id: second } = await patch(world, id, {
      source_revision_config: { repo_ref: 'next' },
    });
    await world.loseExecutions();
    await later(world);
    await buildStarted(world, `${first}-2`);
    expect(await get(world, id, second)).toMatchObject({ status: 'QUEUED' });

    await world.deps.builds.succeed(`${first}-2`);
    await deployBuilt(world, id, first);
    await deploy(world, id, second);
    expect(await statuses(world, id, first)).toEqual([
      'CREATING',
      'QUEUED',
      'AWAITING_BUILD',
      'BUILDING',
      'AWAITING_DEPLOY',
      'DEPLOYING',
      'DEPLOYED',
    ]);
    const stream = {
      tenantId: world.caller.tenantId,
      deploymentId: id,
      revisionId: first,
      type: 'build',
    } as const;
    const { entries } = await world.deps.logs.query(stream, { order: 'asc', limit: 100 });
    expect(entries.map(({ message }) => message)).toContainEqual(expect.stringContaining('attempt 2'));
  });

  it('keeps a build that is alive', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await create(world, githubBody('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.become(`build-${revisionId}`, { state: 'running' });
    const state = world.deps.builds.states.get(`build-${revisionId}`);
    await world.loseExecutions();
    // As CodeBuild, which has no part in the crash.
    if (state !== undefined) world.deps.builds.states.set(`build-${revisionId}`, state);
    await later(world);
    await until(() => world.deps.workflow.history(`${revisionId}-2`).length > 0, {
      timeoutMs: 60_000,
      what: 'the second attempt',
    });
    await world.deps.builds.succeed(revisionId);
    await deployBuilt(world, id, revisionId);
    expect([...world.deps.builds.jobs.keys()]).toEqual([`build-${revisionId}`]);
  });

  it('while a deploy is at work keeps the task and its lease: the same listener ends it', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await create(world, githubBody('app'));
    await deploy(world, id, first);
    const { latest_revision_id: second } = await patch(world, id, { secrets: [{ name: 'A', value: '1' }] });
    const task = await claimed(world);
    await world.loseExecutions();
    world.advance(30);
    await heartbeat(world, task);
    world.advance(31);
    await world.sweep();
    expect(await heartbeat(world, task, 'switching')).toEqual({ stop: false });
    await complete(world, task, 'succeeded', { url: 'http://localhost:4401/d/it' });
    await reaches(world, id, second, 'DEPLOYED');
  });

  it('after a deploy was recorded ends by what was recorded, without another execution', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await create(world, githubBody('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.succeed(revisionId);
    const task = await claimed(world);
    await world.loseStream();
    await world.loseExecutions();
    await complete(world, task, 'succeeded');
    await later(world);
    await reaches(world, id, revisionId, 'DEPLOYED');
    expect(await world.deps.workflow.status(`${revisionId}-2`)).toBe('absent');
  });

  it('fails the revision the third time in a stage, with that reason', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await create(world, githubBody('app'));
    for (const name of [revisionId, `${revisionId}-2`, `${revisionId}-3`]) {
      await startedInTime(world, name);
      await world.loseExecutions();
      await later(world);
    }
    const failed = await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(failed.status_message).toMatch(/stopped 3 times .*no fault of the source/);
  });

  it('that was an orderly stop counts no attempt', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await create(world, githubBody('app'));
    for (const n of [1, 2, 3, 4]) {
      await startedInTime(world, n === 1 ? revisionId : `${revisionId}-${n}`);
      await world.restartInOrder();
      await later(world);
    }
    await startedInTime(world, `${revisionId}-5`);
    await world.deps.builds.succeed(`${revisionId}-5`);
    await deployBuilt(world, id, revisionId);
    expect((await get(world, id, revisionId)).status).toBe('DEPLOYED');
  });

  it('never restarts what was to be interrupted', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await create(world, githubBody('app'));
    await buildStarted(world, revisionId);
    await world.loseStream();
    await interrupt(world, id, revisionId);
    await world.loseExecutions();
    await later(world);
    await reaches(world, id, revisionId, 'INTERRUPTED');
    expect([...world.deps.builds.jobs.keys()]).toEqual([`build-${revisionId}`]);
  });
});

describe('an execution that the workflow does not know (yet)', () => {
  it('is believed to be absent only when a later look hears it again; then it is started', async () => {
    const world = await aRunningWorld();
    const { latest_revision_id: revisionId } = await create(world, githubBody('app'));
    await buildStarted(world, revisionId);
    const started: string[] = [];
    world.deps.workflow.status = async () => 'absent';
    world.deps.workflow.start = async (name) => {
      started.push(name);
      return 'started';
    };
    await later(world);
    expect(started).toEqual([]);
    await later(world).catch(() => undefined);
    expect(new Set(started)).toEqual(new Set([`${revisionId}-1`]));
  });
});

describe('a build that is lost', () => {
  it('while its execution waits is built again', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await create(world, githubBody('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.become(`build-${revisionId}`, { state: 'lost' });
    await later(world);
    await buildStarted(world, `${revisionId}-2`);
    // The one that was given up comes back: it is stopped, and its result is not taken.
    await world.deps.builds.become(`build-${revisionId}`, { state: 'running' });
    expect(world.deps.builds.stopped).toEqual([`build-${revisionId}`]);
    await world.deps.builds.succeed(`${revisionId}-2`);
    await deployBuilt(world, id, revisionId);
  });
});

const broken = () =>
  Object.assign(new Error('try later'), {
    name: 'InternalServerError',
    $fault: 'server',
    $metadata: { httpStatusCode: 500 },
  });

describe('a moment of a broken table in a step', () => {
  it('fails nothing', async () => {
    const world = await aRunningWorld();
    let thrown = 0;
    world.deps.table.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const isStart = JSON.stringify(args.input).includes('"build-');
          if (isWrite(commandName) && isStart && thrown++ === 0) throw broken();
          return next(args);
        },
      { step: 'initialize', name: 'broken' },
    );
    const { id, latest_revision_id: revisionId } = await create(world, githubBody('app'));
    await buildStarted(world, revisionId);
    await deploy(world, id, revisionId);
    expect(thrown).toBeGreaterThan(0);
  });
});

describe('builds at capacity', () => {
  it('are said to a person, and an interrupt ends the wait at once', async () => {
    const world = await aRunningWorld();
    world.deps.builds.start = () => Promise.reject(new BuildsAtCapacity('Cannot have more than 1 build'));
    const { id, latest_revision_id: revisionId } = await create(world, githubBody('app'));
    await until(
      async () => (await get(world, id, revisionId)).status_message?.includes('more than 1 build'),
      {
        timeoutMs: 60_000,
        what: 'the reason of the wait',
      },
    );
    await interrupt(world, id, revisionId);
    await reaches(world, id, revisionId, 'INTERRUPTED');
  });

  it('fail the build when its time is over, with that reason', async () => {
    const world = await aRunningWorld();
    world.deps.builds.start = () => Promise.reject(new BuildsAtCapacity('Cannot have more than 1 build'));
    const { id, latest_revision_id: revisionId } = await create(world, githubBody('app'));
    await until(
      async () => (await get(world, id, revisionId)).status_message?.includes('more than 1 build'),
      {
        timeoutMs: 60_000,
        what: 'the reason of the wait',
      },
    );
    world.advance(1_801);
    await world.sweep();
    const failed = await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(failed.status_message).toMatch(/No build could start within 30 minutes.*more than 1 build/);
  });
});

describe('a revision that ended before its build', () => {
  it('stays due until the build is seen stopped', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await create(world, githubBody('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.become(`build-${revisionId}`, { state: 'running' });
    const stop = world.deps.builds.stop.bind(world.deps.builds);
    // What is stopped only says so, as CodeBuild, which takes its time.
    world.deps.builds.stop = async () => undefined;
    await interrupt(world, id, revisionId);
    await reaches(world, id, revisionId, 'INTERRUPTED');
    world.deps.builds.stop = stop;
    world.advance(61);
    expect((await world.sweep()).looked).toBe(1);
    expect(world.deps.builds.stopped).toEqual([`build-${revisionId}`]);
    await later(world);
    world.advance(61);
    expect((await world.sweep()).looked).toBe(0);
  });
});
