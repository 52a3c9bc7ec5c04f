import { describe, expect, it } from 'vitest';
import { FOLLOWERS_MAX, type Follower, following, KEPT_FOR_OTHERS } from '../../../lib/core/followers.ts';
import { followerSlots } from '../../../lib/core/items/follower-slots.ts';
import { queryRevisionLogs } from '../../../lib/features/logs/follow.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { interruptedAt } from '../../support/table/stepwise.ts';
import { until } from '../../support/until.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const refused = { code: 'too_many_followers', status: 429, headers: { 'retry-after': '10' } };

/**
 * A request for the build log of a new deployment's first revision, as a stream unless it is to be read at
 * once.
 */
async function logOf(world: World, accept: string | undefined = 'text/event-stream') {
  await register(world, 'machine');
  const { id, latest_revision_id } = await post(world, github('a'));
  const stream = { tenantId: world.caller.tenantId, deploymentId: id, revisionId: latest_revision_id };
  const ask = (asked = accept) =>
    queryRevisionLogs(
      world.deps,
      {
        params: { deployment_id: id, revision_id: latest_revision_id },
        query: { type: 'build', order: 'asc', limit: 50 },
        headers: { accept: asked },
      },
      world.caller,
    );
  const print = (message: string) =>
    world.deps.logs.append({ ...stream, type: 'build' }, [
      { timestamp: world.deps.clock.now(), level: 'INFO', message },
    ]);
  return { ask, print };
}

const held = async ({ deps, caller }: World) =>
  (await followerSlots(deps.table, caller.tenantId)).filter(({ lease_id }) => lease_id !== undefined).length;

describe('followers of logs', () => {
  it('are as many as may be: the next one is refused, another tenant’s first and who only reads are not', async () => {
    const world = await aWorld();
    const other = world.as();
    const [log, theirs] = [await logOf(world), await logOf(other)];
    const followers = Array.from({ length: FOLLOWERS_MAX - KEPT_FOR_OTHERS }, () => log.ask());
    await until(async () => (await held(world)) === followers.length, {
      what: 'the last place',
    });

    await expect(log.ask()).rejects.toMatchObject(refused);
    expect((await log.ask('application/json')).logs).toEqual([]);
    const first = theirs.ask();
    await until(async () => (await held(other)) === 1, { what: 'a place of the other' });

    await Promise.all([log.print('a line'), theirs.print('a line')]);
    for (const answer of await Promise.all([first, ...followers])) expect(answer.logs).toHaveLength(1);
    expect([await held(world), await held(other)]).toEqual([0, 0]);
  });

  it('are never more than may be, however many come at the same moment', async () => {
    const world = await aWorld();
    const end = Promise.withResolvers<void>();
    const all = Array.from({ length: 2 * FOLLOWERS_MAX }, (_, at) =>
      following(world.deps, someone(world, `${at}`), () => end.promise),
    );
    const refusals = all.map((one) =>
      one.then(
        () => 0,
        () => 1,
      ),
    );
    await until(async () => (await held(world)) === FOLLOWERS_MAX, {
      what: 'the last place',
    });
    const first = await Promise.race(refusals);
    expect(first).toBe(1);
    end.resolve();
    expect((await Promise.all(refusals)).reduce<number>((sum, one) => sum + one, 0)).toBe(FOLLOWERS_MAX);
  });
});

/** Each of these is another key. */
const someone = ({ caller }: World, keyId: string, of = 'deployment'): Follower => ({
  caller: { ...caller, keyId },
  of: [of, 'revision', 'build'],
});

/** Each place but one is held. */
async function almostFull(world: World) {
  const end = Promise.withResolvers<void>();
  const others = Array.from({ length: FOLLOWERS_MAX - 1 }, (_, at) =>
    following(world.deps, someone(world, `${at}`), () => end.promise),
  );
  await until(async () => (await held(world)) === FOLLOWERS_MAX - 1, {
    what: 'the others',
  });
  return async () => {
    end.resolve();
    await Promise.all(others);
  };
}

describe('the last places', () => {
  const end = () => Promise.withResolvers<void>();

  it('are for others: one who has all that they may leaves one for each of three', async () => {
    const world = await aWorld();
    const { promise, resolve } = end();
    const hold = (who: string, of?: string) => following(world.deps, someone(world, who, of), () => promise);
    const asked = Array.from({ length: FOLLOWERS_MAX }, (_, n) => hold('greedy', `${n}`));
    const refusals = asked.map((one) => one.then(String, () => 'refused'));
    await until(async () => (await held(world)) === FOLLOWERS_MAX - KEPT_FOR_OTHERS, {
      what: 'all but three',
    });
    for (const who of ['a', 'b']) {
      const others = [hold(who, '1'), hold(who, '2'), hold(who, '3')];
      refusals.push(...others.map((one) => one.then(String, () => 'refused')));
      // One has its place, and two are refused.
      await Promise.any(
        others.map((one) =>
          one.then(
            () => Promise.reject(new Error('held')),
            () => undefined,
          ),
        ),
      );
    }
    await until(async () => (await held(world)) === FOLLOWERS_MAX - 1, { what: 'one each' });
    const late = hold('c');
    await until(async () => (await held(world)) === FOLLOWERS_MAX, { what: 'the last one' });
    await expect(hold('d')).rejects.toMatchObject(refused);
    resolve();
    await late;
    const said = await Promise.all(refusals);
    expect(said.filter((one) => one === 'refused')).toHaveLength(KEPT_FOR_OTHERS + 4);
  });

  it('are one a person, also when a request has read the places before another took one', async () => {
    const world = await aWorld();
    const { promise, resolve } = end();
    const greedy = Array.from({ length: FOLLOWERS_MAX - KEPT_FOR_OTHERS }, (_, n) =>
      following(world.deps, someone(world, 'greedy', `${n}`), () => promise),
    );
    await until(async () => (await held(world)) === greedy.length, { what: 'all but three' });
    // The lease decides which free place a request wants; the slow one wants the first.
    const leased = (deps: World['deps'], lease: string) => ({
      ...deps,
      clock: { ...deps.clock, randomId: () => `${lease}-0000-7000-8000-000000000000` },
    });
    const first: Promise<unknown>[] = [];
    const slow = interruptedAt(leased(world.deps, '00000000'), 1, async () => {
      first.push(following(leased(world.deps, '00000002'), someone(world, 'a', 'one'), () => promise));
      await until(async () => (await held(world)) === greedy.length + 1, { what: 'the first' });
    });
    await expect(following(slow.deps, someone(world, 'a', 'two'), async () => 'held')).rejects.toMatchObject(
      refused,
    );
    resolve();
    await Promise.all([...greedy, ...first]);
  });

  it('count a user’s sessions as one, and keys by themselves', async () => {
    const world = await aWorld();
    const { promise, resolve } = end();
    const session = { maker: { kind: 'session' } } as const;
    const all = Array.from({ length: FOLLOWERS_MAX }, (_, n) => {
      const { caller, of } = someone(world, `session ${n}`, `${n}`);
      return following(world.deps, { caller: { ...caller, ...session }, of }, () => promise);
    });
    const said = all.map((one) => one.then(String, () => 'refused'));
    await until(async () => (await held(world)) === FOLLOWERS_MAX - KEPT_FOR_OTHERS, {
      what: 'all but three',
    });
    resolve();
    expect((await Promise.all(said)).filter((one) => one === 'refused')).toHaveLength(KEPT_FOR_OTHERS);
  });
});

describe('the place of a follower', () => {
  it('is kept for it between two answers, and another’s a moment later', async () => {
    const world = await aWorld();
    const end = await almostFull(world);
    const ask = (who: string) => following(world.deps, someone(world, who), async () => 'answered');
    await ask('one');
    await expect(ask('another')).rejects.toMatchObject(refused);
    expect(await ask('one')).toBe('answered');
    world.advance(4);
    expect(await ask('another')).toBe('answered');
    await end();
  });

  it('is left when the work fails, and free again when the function that held it was cut off', async () => {
    const world = await aWorld();
    const broken = following(world.deps, someone(world, 'one'), async () => {
      throw new Error('the store does not answer');
    });
    await expect(broken).rejects.toThrow('does not answer');
    expect(await held(world)).toBe(0);
    world.advance(4);
    const end = Promise.withResolvers<void>();
    const cutOff = Array.from({ length: FOLLOWERS_MAX }, (_, at) =>
      following(world.deps, someone(world, `${at}`), () => end.promise),
    );
    await until(async () => (await held(world)) === FOLLOWERS_MAX, {
      what: 'the last place',
    });
    world.advance(16);
    const ask = () => following(world.deps, someone(world, 'late'), async () => held(world));
    // One that is not cut off after all does not take back what another has by then.
    expect(await ask()).toBe(FOLLOWERS_MAX);
    end.resolve();
    await Promise.all(cutOff);
    expect(await held(world)).toBe(0);
  });

  it('costs a read and two writes an answer', async () => {
    const world = await aWorld();
    const { client } = world.deps.table;
    const ask = () => following(world.deps, someone(world, 'one'), async () => undefined);
    for (let answers = 0; answers < 3; answers++)
      expect(await unitsOf(client, ask)).toEqual({ reads: 1, writes: 2 });
  });
});
