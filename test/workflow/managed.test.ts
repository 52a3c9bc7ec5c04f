import { describe, expect, it } from 'vitest';
import type { AgentFailure } from '../../lib/domain/agent-failure.ts';
import { ingestServerOutput } from '../../lib/features/logs/ingest.ts';
import { until } from '../support/until.ts';
import {
  ALL,
  aDrivenWorld,
  type DrivenWorld,
  imageOf,
  next,
  postImage,
  serving,
} from '../support/world/driven-world.ts';
import { redeploy, remove, show, showRevision } from '../support/world/requests.ts';
import { isGone, later, reaches } from '../support/world/steps.ts';

const EXITED: AgentFailure = { kind: 'exited', exitCode: 3, times: 4, output: ['no such module'] };

/** The deploy log of a revision, the oldest line first. */
async function deployLog({ deps, caller }: DrivenWorld, deploymentId: string, revisionId: string) {
  const stream = { tenantId: caller.tenantId, deploymentId, revisionId, type: 'deploy' as const };
  const { entries } = await deps.logs.query(stream, { order: 'asc', limit: 100 });
  return entries.map(({ message }) => message);
}

describe('what the installation runs itself', () => {
  it('is brought up, serves, and says where it answers', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    expect(world.compute.serving({ deploymentId: id })).toBe(imageOf('one'));
    expect(await show(world, id)).toMatchObject({
      status: 'READY',
      source_config: { custom_url: 'https://agents.example.com/d/app' },
    });
    expect(world.compute.gaps).toEqual([]);
  });

  it('is replaced without a moment in which nothing answers; what it replaces goes after its grace', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    const second = await next(world, id, 'two');
    await reaches(world, id, second, 'DEPLOYED');
    const { sets } = world.compute.deployments.get(id) ?? {};
    expect(world.compute.serving({ deploymentId: id })).toBe(imageOf('two'));
    expect([...(sets?.values() ?? [])].map(({ retiredAt }) => retiredAt !== undefined)).toEqual([
      true,
      false,
    ]);
    await world.sweepFor(300);
    expect(sets?.size).toBe(1);
    expect(world.compute.gaps).toEqual([]);
  });

  it('goes back without a build, to the set that still drains', async () => {
    const world = await aDrivenWorld();
    const { id, latest_revision_id: first } = await postImage(world, 'app');
    await reaches(world, id, first, 'DEPLOYED');
    await reaches(world, id, await next(world, id, 'two'), 'DEPLOYED');
    const calls = world.compute.calls.length;
    const { latest_revision_id: back } = await redeploy(world, id, first);
    await reaches(world, id, back, 'DEPLOYED');
    expect(world.compute.serving({ deploymentId: id })).toBe(imageOf('one'));
    expect(world.compute.calls.slice(calls)).not.toContain('create service');
    const [told, moved] = await deployLog(world, id, back);
    expect(told).toContain(`still runs from revision ${first}: what its servers print is in the log`);
    expect(moved).toMatch(/^Traffic moved/);
    expect(world.compute.gaps).toEqual([]);
  });

  it('is started anew by a redeploy of what serves', async () => {
    const world = await aDrivenWorld();
    const { id, latest_revision_id: first } = await postImage(world, 'app');
    await reaches(world, id, first, 'DEPLOYED');
    const before = world.compute.deployments.get(id)?.traffic;
    const { latest_revision_id: again } = await redeploy(world, id, first);
    await reaches(world, id, again, 'DEPLOYED');
    expect(world.compute.deployments.get(id)?.traffic).not.toBe(before);
    await world.sweepFor(300);
    expect(world.compute.deployments.get(id)?.sets.size).toBe(1);
    expect(world.compute.gaps).toEqual([]);
  });

  it('fails with the reason of its servers, and leaves what served', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    const failure: AgentFailure = { kind: 'exited', exitCode: 3, times: 4, output: ['no such module'] };
    world.compute.scripts.set(imageOf('two'), { failure });
    const second = await next(world, id, 'two');
    const failed = await reaches(world, id, second, 'DEPLOY_FAILED');
    expect(failed.status_message).toMatch(
      /exits in a loop: 4 times so far, last with code 3[^]+no such module/,
    );
    await later(world);
    expect(await show(world, id)).toMatchObject({ status: 'READY' });
    expect(world.compute.deployments.get(id)?.sets.size).toBe(1);
    expect(world.compute.serving({ deploymentId: id })).toBe(imageOf('one'));
    expect(world.compute.gaps).toEqual([]);
  });

  it('fails with its reason however often its driver is woken meanwhile', async () => {
    const world = await aDrivenWorld();
    world.compute.scripts.set(imageOf('one'), { failure: EXITED });
    // Each end of a server in a loop is an event of ECS, which wakes another driver.
    const { clock } = world.driveDeps();
    const driven = (deploymentId: string): Promise<void> =>
      world.drive(deploymentId, {
        clock: {
          ...clock,
          wait: async (milliseconds) => {
            await driven(deploymentId);
            await clock.wait(milliseconds);
          },
        },
      });
    world.deps.computeDriver = { wake: ({ deploymentId }) => driven(deploymentId) };
    const { id, latest_revision_id: first } = await postImage(world, 'app');
    await reaches(world, id, first, 'DEPLOY_FAILED');
  });

  it('keeps the reason of a failure as the last line of its log', async () => {
    const world = await aDrivenWorld();
    world.compute.scripts.set(imageOf('one'), { failure: EXITED });
    world.paused.add(ALL);
    const { id, latest_revision_id: first } = await postImage(world, 'app');
    const print = (message: string) =>
      ingestServerOutput(
        world.deps,
        { tenantId: world.caller.tenantId, deploymentId: id, revisionId: first },
        [{ timestamp: world.deps.clock.now(), message }],
      );
    await reaches(world, id, first, 'AWAITING_DEPLOY');
    await print('no such module');
    // The stream's driver must not run beside this one.
    await until(() => world.woken.includes(id), { what: 'the driver to be woken' });
    world.paused.clear();
    await world.drive(id);
    await reaches(world, id, first, 'DEPLOY_FAILED');
    await print('too late');
    expect(await deployLog(world, id, first)).toEqual([
      'no such module',
      expect.stringMatching(/^made /),
      expect.stringMatching(/exits in a loop: 4 times so far, last with code 3/),
    ]);
  });

  it('that does not become ready in its time fails; sweep had its driver woken meanwhile', async () => {
    const world = await aDrivenWorld();
    world.compute.scripts.set(imageOf('one'), { ready: 1_000_000 });
    const { id, latest_revision_id: first } = await postImage(world, 'app');
    await reaches(world, id, first, 'DEPLOYING');
    await world.sweepFor(660);
    const failed = await reaches(world, id, first, 'DEPLOY_FAILED');
    expect(failed.status_message).toContain('Not ready after 600 s, with 0 of 1 servers up.');
    await world.sweepFor(300);
    expect(world.compute.isEmpty({ deploymentId: id })).toBe(true);
  });

  it('is deleted with all that it had', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    world.compute.isRemoving = true;
    await remove(world, id);
    await isGone(world, id);
    expect(world.compute.isEmpty({ deploymentId: id })).toBe(true);
  });

  it('is removed too when nobody waits for that', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    world.compute.isRemoving = true;
    world.paused.add(ALL);
    await remove(world, id);
    await until(async () => (await show(world, id)).status === 'AWAITING_DELETE', {
      what: 'the deletion to begin',
    });
    world.paused.clear();
    await remove(world, id, { force: 'true' });
    await isGone(world, id);
    await until(() => world.compute.isEmpty({ deploymentId: id }), {
      what: 'nothing to run',
    });
  });

  it('is looked after every fifteen minutes: what was deleted by hand is back', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    await world.sweepFor(120);
    world.compute.loseServers({ deploymentId: id });
    expect(world.compute.answers({ tenantId: world.caller.tenantId, deploymentId: id })).toBe(false);
    await world.sweepFor(1_020);
    expect(world.compute.answers({ tenantId: world.caller.tenantId, deploymentId: id })).toBe(true);
  });

  it('with a driver that is dead ends in DEPLOY_FAILED, which says so', async () => {
    const world = await aDrivenWorld();
    world.paused.add(ALL);
    const { id, latest_revision_id: first } = await postImage(world, 'app');
    await reaches(world, id, first, 'AWAITING_DEPLOY');
    await world.sweepFor(1_200);
    const failed = await showRevision(world, id, first);
    expect(failed).toMatchObject({ status: 'DEPLOY_FAILED' });
    expect(failed.status_message).toMatch(/^The driver of Fargate has not taken up this deploy since /);
  });

  it('with a driver that dies in the middle is UNKNOWN once its lease is over, then DEPLOY_FAILED', async () => {
    const world = await aDrivenWorld();
    world.compute.scripts.set(imageOf('one'), { ready: 1_000_000 });
    const { id, latest_revision_id: first } = await postImage(world, 'app');
    await reaches(world, id, first, 'DEPLOYING');
    world.paused.add(ALL);
    await until(() => world.running() === 0, { what: 'the driver to end its run' });
    // Its lease was renewed when it last changed something: up to a whole run ago.
    await world.sweepFor(780);
    expect(await showRevision(world, id, first)).toMatchObject({ status: 'DEPLOYING' });
    await world.sweepFor(180);
    expect(await showRevision(world, id, first)).toMatchObject({ status: 'UNKNOWN' });
    await world.sweepFor(1_200);
    expect(await showRevision(world, id, first)).toMatchObject({
      status: 'DEPLOY_FAILED',
      status_message: expect.stringMatching(/^The driver of Fargate went silent while deploying/),
    });
  });
});

describe('while the balancer has no target group left', () => {
  const QUOTA = 'The quota of target groups of the balancer (100, not adjustable) is used up';

  /** What the deploy log says of a revision. */
  const logOf = async ({ deps, caller }: DrivenWorld, deploymentId: string, revisionId: string) => {
    const stream = { tenantId: caller.tenantId, deploymentId, revisionId, type: 'deploy' } as const;
    const { entries } = await deps.logs.query(stream, { order: 'asc', limit: 100 });
    return entries.map(({ message }) => message);
  };

  it('a deploy waits, says so, and fails with that reason; what served goes on', async () => {
    const world = await aDrivenWorld();
    const id = await serving(world, 'app');
    world.compute.setsMax = 1;
    const second = await next(world, id, 'two');
    await reaches(world, id, second, 'DEPLOYING');
    await world.sweepFor(660);
    const { status_message: said } = await reaches(world, id, second, 'DEPLOY_FAILED');
    expect(said).toBe(
      `Not possible within 600 s. ${QUOTA}: each set of servers holds one, also while it ends. Delete agents.`,
    );
    const [line] = await logOf(world, id, second);
    expect(line).toMatch(/^The quota of target groups .* Delete agents\. It is tried again\.$/);
    await world.sweepFor(300);
    expect(world.compute.serving({ deploymentId: id })).toBe(imageOf('one'));
    expect(world.compute.deployments.get(id)?.sets.size).toBe(1);
    expect(world.compute.gaps).toEqual([]);
  });

  it('the deletion of an agent makes room for the one that waits', async () => {
    const world = await aDrivenWorld();
    const first = await serving(world, 'first');
    world.compute.setsMax = 1;
    const { id, latest_revision_id: waiting } = await postImage(world, 'second');
    await until(async () => (await logOf(world, id, waiting))[0]?.startsWith(QUOTA), {
      what: 'the deploy to say what it waits for',
    });
    world.compute.isRemoving = true;
    await remove(world, first);
    await isGone(world, first);
    await world.sweepFor(120);
    await reaches(world, id, waiting, 'DEPLOYED');
  });
});
