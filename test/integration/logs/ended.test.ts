import { expect, it } from 'vitest';
import { queryRevisionLogs } from '../../../lib/features/logs/follow.ts';
import { queryDeploymentLogs } from '../../../lib/features/logs/follow-deployment.ts';
import { change, github, interrupt, post } from '../../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';
import * as steps from '../../support/world/steps.ts';

type Type = 'build' | 'deploy';

const seen = (lastEventId: string | undefined) => ({
  accept: 'text/event-stream',
  ...(lastEventId !== undefined && { lastEventId }),
});

/** One answer of who follows a log, as it is given to a client that has seen the line `lastEventId`. */
async function follow(world: RunningWorld, ids: [string, string], type: Type, lastEventId?: string) {
  const [deployment_id, revision_id] = ids;
  const { logs, ended } = await queryRevisionLogs(
    world.deps,
    {
      params: { deployment_id, revision_id },
      query: { type, order: 'asc', limit: 50 },
      headers: seen(lastEventId),
    },
    world.caller,
  );
  return { messages: logs.map(({ message }) => message), last: logs.at(-1)?.id, ended };
}

/** Follows a log that ends: all its lines, and what its end says behind them. */
async function followed(world: RunningWorld, ids: [string, string], type: Type) {
  const messages: string[] = [];
  for (let last: string | undefined; ; ) {
    const answer = await follow(world, ids, type, last);
    messages.push(...answer.messages);
    if (answer.ended !== undefined) return { messages, status: answer.ended.status };
    ({ last } = answer);
  }
}

/** Whether a log is still open for who has seen all of it; `gone`: its reader waits for no line. */
async function isOpen(world: RunningWorld, [deployment_id, revision_id]: [string, string], type: Type) {
  const gone = AbortSignal.abort();
  const { ended } = await queryRevisionLogs(
    world.deps,
    {
      params: { deployment_id, revision_id },
      query: { type, order: 'asc', limit: 50 },
      headers: { accept: 'text/event-stream', lastEventId: `${world.deps.clock.now() + 60_000}-0` },
      gone,
    },
    world.caller,
  );
  return ended === undefined;
}

it('a log that is followed ends behind the line that says why its revision failed', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: revisionId } = await post(world, github('a'));
  const ids: [string, string] = [id, revisionId];
  await steps.buildStarted(world, revisionId);
  expect([await isOpen(world, ids, 'build'), await isOpen(world, ids, 'deploy')]).toEqual([true, true]);
  const reading = followed(world, ids, 'build');
  await world.deps.builds.become(`build-${revisionId}`, {
    state: 'failed',
    message: 'There is no langgraph.json.',
  });
  expect(await reading).toEqual({ messages: ['There is no langgraph.json.'], status: 'BUILD_FAILED' });
  expect(await followed(world, ids, 'deploy')).toEqual({ messages: [], status: 'BUILD_FAILED' });
});

it('a build’s log ends with the build, a deployed revision’s once another one serves', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, github('a'));
  await steps.buildStarted(world, first);
  await world.deps.builds.succeed(first);
  expect(await followed(world, [id, first], 'build')).toMatchObject({ messages: [] });
  await steps.deployBuilt(world, id, first);
  expect(await isOpen(world, [id, first], 'deploy')).toBe(true);
  const { latest_revision_id: second } = await change(world, id, {
    source_revision_config: { repo_ref: 'other' },
  });
  await steps.deploy(world, id, second);
  expect([await isOpen(world, [id, first], 'deploy'), await isOpen(world, [id, second], 'deploy')]).toEqual([
    false,
    true,
  ]);
});

it('a log ends no sooner than lines may still be on their way', async () => {
  const world = await aRunningWorld();
  const logs = { ...world.deps.logs, lagMilliseconds: 5_000 };
  const late = { ...world, deps: { ...world.deps, logs } };
  const { id, latest_revision_id: revisionId } = await post(world, github('a'));
  const ids: [string, string] = [id, revisionId];
  await interrupt(world, id, revisionId);
  await steps.reaches(world, id, revisionId, 'INTERRUPTED');
  expect([await isOpen(world, ids, 'build'), await isOpen(late, ids, 'build')]).toEqual([false, true]);
  world.advance(6);
  expect(await isOpen(late, ids, 'build')).toBe(false);
});

it('the log of a replaced revision ends once what its server had to finish is over', async () => {
  const world = await aRunningWorld();
  const logs = { ...world.deps.logs, lagMilliseconds: 5_000 };
  const late = { ...world, deps: { ...world.deps, logs } };
  const { id, latest_revision_id: first } = await post(world, github('a'));
  await steps.deploy(world, id, first);
  await change(world, id, { source_config: { drain_seconds: 60 } });
  world.advance(600);
  const { latest_revision_id: second } = await change(world, id, {
    source_revision_config: { repo_ref: 'other' },
  });
  await steps.deploy(world, id, second);
  world.advance(62);
  expect(await isOpen(late, [id, first], 'deploy')).toBe(true);
  world.advance(4);
  expect(await isOpen(late, [id, first], 'deploy')).toBe(false);
});

it('the log of a deployment has the lines of all its revisions, and no end', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, github('a'));
  const print = (revisionId: string, message: string) =>
    world.deps.logs.append(
      { tenantId: world.caller.tenantId, deploymentId: id, revisionId, type: 'deploy' },
      [{ timestamp: world.deps.clock.now(), level: 'INFO', message }],
    );
  await interrupt(world, id, first);
  await steps.reaches(world, id, first, 'INTERRUPTED');
  const { latest_revision_id: second } = await change(world, id, {
    source_revision_config: { repo_ref: 'other' },
  });
  await print(first, 'of the first');
  await print(second, 'of the second');
  const read = async (lastEventId?: string) => {
    const { logs, ended } = await queryDeploymentLogs(
      world.deps,
      {
        params: { deployment_id: id },
        query: { type: 'deploy', order: 'asc', limit: 50 },
        headers: seen(lastEventId),
        gone: AbortSignal.abort(),
      },
      world.caller,
    );
    return { logs, ended };
  };
  const { logs } = await read();
  expect(logs.map(({ message }) => message)).toEqual(['of the first', 'of the second']);
  expect(await read(logs.at(-1)?.id)).toEqual({ logs: [], ended: undefined });
});
