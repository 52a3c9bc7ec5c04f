import { expect, it } from 'vitest';
import { systemClock } from '../../../lib/adapters/clock.ts';
import type { Logs } from '../../../lib/adapters/logs.ts';
import { followUntil } from '../../../lib/core/followers.ts';
import { createChanges } from '../../../lib/embedded/changes.ts';
import { until } from '../../support/until.ts';

/** By which an answer that has begun is not over for days, however slow the machine is. */
function slowClock() {
  const times = [1_000_000_000];
  return { ...systemClock, now: () => times.pop() ?? 0 };
}

/** Follows what never comes, until `leave`: how often it was read by then. */
function follower(changes?: ReturnType<typeof createChanges>) {
  const gone = new AbortController();
  let reads = 0;
  const read = async () => {
    reads += 1;
  };
  const deps = { clock: slowClock(), ...(changes !== undefined && { changes }) };
  const answered = followUntil(deps, gone.signal, read, () => false);
  return {
    reads: () => reads,
    leave: async () => {
      gone.abort();
      await answered;
    },
  };
}

it.concurrent.each(['feed_count', 'revision', 'deployment', 'a line of a log'])(
  'where changes are heard of, nothing is read while nothing happens, and again after one (%s)',
  async (what) => {
    const changes = createChanges();
    const logs = changes.heardOf<Logs>({
      lagMilliseconds: 0,
      append: async () => {},
      query: async () => ({ entries: [], nextOffset: undefined }),
      delete: async () => 'done' as const,
    });
    const [hears, looks] = [follower(changes), follower()];
    await until(() => looks.reads() > 4, { what: 'four looks of the other' });
    // What is written while nothing happens.
    for (const entity of ['last_seen', 'follower_slot'])
      changes.notice({ dynamodb: { NewImage: { entity: { S: entity } } } });
    await until(() => looks.reads() > 6, { what: 'two more' });
    expect(hears.reads()).toBe(1);
    if (what.startsWith('a line'))
      await logs.append({ tenantId: 't', deploymentId: 'd', revisionId: 'r', type: 'build' }, [
        { timestamp: 0, level: 'INFO', message: '' },
      ]);
    else changes.notice({ dynamodb: { NewImage: { entity: { S: what } } } });
    await until(() => hears.reads() > 1, { what: 'a look' });
    const before = looks.reads();
    await until(() => looks.reads() > before + 2, { what: 'two looks of the other' });
    expect(hears.reads()).toBe(2);
    await Promise.all([hears.leave(), looks.leave()]);
  },
);

it('a change while it reads is not missed', async () => {
  const changes = createChanges();
  let reads = 0;
  const read = async () => {
    reads += 1;
    if (reads === 1) changes.notice({ dynamodb: { NewImage: { entity: { S: 'feed_count' } } } });
    return reads;
  };
  expect(await followUntil({ clock: slowClock(), changes }, undefined, read, (seen) => seen === 2)).toBe(2);
});
