import { describe, expect, it } from 'vitest';
import { getRevisionItem } from '../../lib/core/items/revisions.ts';
import { finishRevision } from '../../lib/core/steps/finish.ts';
import { isWrite } from '../support/table/writes.ts';
import { until } from '../support/until.ts';
import { complete, heartbeat } from '../support/world/listening.ts';
import { change, github, interrupt, post, showRevision } from '../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import {
  buildStarted,
  buildStartedInTime,
  claimed,
  deploy,
  deployBuilt,
  later,
  reaches,
} from '../support/world/steps.ts';

const statuses = async (world: RunningWorld, id: string, revisionId: string): Promise<string[]> =>
  (await showRevision(world, id, revisionId)).status_history.map(({ status }) => status);

describe('a crash of the control plane', () => {
  it('while a build is at work builds again, in order, and says so in the log', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await buildStarted(world, first);
    await world.deps.builds.become(`build-${first}`, { state: 'running' });
    const { latest_revision_id: second } = await change(world, id, {
      source_revision_config: { repo_ref: 'next' },
    });
    await world.loseExecutions();
    await later(world);
    await buildStarted(world, `${first}-2`);
    expect(await showRevision(world, id, second)).toMatchObject({ status: 'QUEUED' });

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
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.become(`build-${revisionId}`, { state: 'running' });
    const state = world.deps.builds.states.get(`build-${revisionId}`);
    await world.loseExecutions();
    // As CodeBuild, which has no part in the crash.
    if (state !== undefined) world.deps.builds.states.set(`build-${revisionId}`, state);
    await later(world);
    await until(() => world.deps.workflow.history(`${revisionId}-2`).length > 0, {
      what: 'the second attempt',
    });
    await world.deps.builds.succeed(revisionId);
    await deployBuilt(world, id, revisionId);
    expect([...world.deps.builds.jobs.keys()]).toEqual([`build-${revisionId}`]);
  });

  it('while a deploy is at work keeps the task and its lease: the same listener ends it', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await deploy(world, id, first);
    const { latest_revision_id: second } = await change(world, id, { secrets: [{ name: 'A', value: '1' }] });
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
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
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
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    for (const name of [revisionId, `${revisionId}-2`, `${revisionId}-3`]) {
      await buildStartedInTime(world, name);
      await world.loseExecutions();
      await later(world);
    }
    const failed = await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(failed.status_message).toMatch(/stopped 3 times .*no fault of the source/);
  });

  it('that lasts longer than a build may take gives it its whole time anew', async () => {
    const world = await aRunningWorld();
    const start = world.deps.builds.start.bind(world.deps.builds);
    let isTried = false;
    world.deps.builds.start = () => {
      isTried = true;
      return new Promise(() => undefined);
    };
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await until(() => isTried, { what: 'the first try to start a build' });
    await world.loseExecutions();
    world.deps.builds.start = start;
    world.advance(3_600);
    await world.sweep();
    await buildStartedInTime(world, revisionId);
    await later(world);
    await world.deps.builds.succeed(revisionId);
    await deployBuilt(world, id, revisionId);
  });

  it('that was an orderly stop counts no attempt', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    for (const n of [1, 2, 3, 4]) {
      await buildStartedInTime(world, n === 1 ? revisionId : `${revisionId}-${n}`);
      await world.restartInOrder();
      await later(world);
    }
    await buildStartedInTime(world, `${revisionId}-5`);
    await world.deps.builds.succeed(`${revisionId}-5`);
    await deployBuilt(world, id, revisionId);
    expect((await showRevision(world, id, revisionId)).status).toBe('DEPLOYED');
  });

  it('counts no attempt either where it lost builds of which nobody had heard yet that they had started', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    for (const name of [revisionId, `${revisionId}-2`, `${revisionId}-3`]) {
      const start = world.deps.builds.start.bind(world.deps.builds);
      world.deps.builds.start = async (job) => {
        const started = await start(job);
        return job.buildName === name ? new Promise(() => undefined) : started;
      };
      await buildStartedInTime(world, name);
      await world.restartInOrder();
      world.deps.builds.start = start;
      await later(world);
    }
    await buildStartedInTime(world, `${revisionId}-4`);
    await world.deps.builds.succeed(`${revisionId}-4`);
    await deployBuilt(world, id, revisionId);
    expect((await showRevision(world, id, revisionId)).status).toBe('DEPLOYED');
  });

  it('leaves nothing to end to the execution before it, which comes late', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await world.deps.builds.succeed(revisionId);
    await reaches(world, id, revisionId, 'AWAITING_DEPLOY');
    await world.loseExecutions();
    const ref = { tenantId: world.caller.tenantId, deploymentId: id, revisionId };
    const isSecond = async () => (await getRevisionItem(world.deps.table, ref)).attempt === 2;
    await until(() => later(world).then(isSecond), { what: 'the second attempt' });
    await finishRevision(world.deps, { ...ref, attempt: 1 });
    expect(await showRevision(world, id, revisionId)).toMatchObject({ status: 'AWAITING_DEPLOY' });
    await deployBuilt(world, id, revisionId);
  });

  it('never restarts what was to be interrupted', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await world.loseStream();
    await interrupt(world, id, revisionId);
    await world.loseExecutions();
    await later(world);
    await reaches(world, id, revisionId, 'INTERRUPTED');
    expect([...world.deps.builds.jobs.keys()]).toEqual([`build-${revisionId}`]);
  });
});

describe('a build that is lost', () => {
  it('for the third time fails its revision, with that reason', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    for (const name of [revisionId, `${revisionId}-2`, `${revisionId}-3`]) {
      await buildStartedInTime(world, name);
      await world.deps.builds.become(`build-${name}`, { state: 'lost' });
      await later(world);
    }
    const failed = await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(failed.status_message).toMatch(/stopped 3 times .*BuildLost/);
  });

  it('while its execution waits is built again', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
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
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await buildStarted(world, revisionId);
    await deploy(world, id, revisionId);
    expect(thrown).toBeGreaterThan(0);
  });
});
