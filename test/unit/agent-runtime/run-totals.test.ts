import { describe, expect, it } from 'vitest';
import type { Outcome, QueueStore } from '../../../lib/agent-runtime/queue/queue-store.ts';
import type { ClaimedRun } from '../../../lib/agent-runtime/queue/rules.ts';
import { RunTotals } from '../../../lib/agent-runtime/queue/run-totals.ts';
import { runsSince } from '../../../lib/compute/process/runs-since.ts';
import { bucketOf, countOf } from '../../../lib/domain/metrics/histogram.ts';

const server = { owner: 'o', buildId: 'b', revisionId: 'r' };

function claimed(runId: string, more: Partial<ClaimedRun> = {}): ClaimedRun {
  const run = { runId, threadId: 't', assistantId: 'a', graphId: 'g', buildId: 'b', revisionId: 'r' };
  const state = { attempt: 1, owner: 'o', epoch: 1, threadNext: [], kwargs: '{}', metadata: '{}' };
  const rest = { cancel: null, failures: 0, lastFailure: null, resumable: false, runningSeconds: 0 };
  return { ...run, ...state, ...rest, ...more };
}

/** A store that gives these runs, one claim each, and takes every end. */
function aStore(runs: ClaimedRun[], finish: QueueStore['finish'] = async () => 'finished'): QueueStore {
  const nothing = async () => false;
  return {
    claim: async () => runs.splice(0, 1),
    nextDue: async () => undefined,
    beat: async () => [],
    putBackUnknown: async () => 0,
    takeOver: async () => 0,
    handBack: nothing,
    finish,
    remove: nothing,
    noteStep: async () => undefined,
    append: nothing,
  };
}

const lease = (runId: string) => ({ runId, threadId: 't', owner: 'o', epoch: 1 });

describe('the totals of a server', () => {
  it('count runs by how they end, and how long they took from their first claim', async () => {
    let now = 1_000;
    const totals = new RunTotals(() => now);
    const again = claimed('4', { attempt: 2, runningSeconds: 60 });
    const store = totals.counting(aStore([claimed('1'), claimed('2'), claimed('3'), again]));
    const ends: Outcome['status'][] = ['success', 'error', 'interrupted', 'timeout'];
    for (const [index, status] of ends.entries()) {
      await store.claim(server, 1);
      now += 250;
      await store.finish(lease(String(index + 1)), { status });
    }
    const { durations, ...counts } = totals.told;
    expect(counts).toEqual({ begun: 3, succeeded: 1, failed: 2 });
    expect([countOf(durations), durations.sum_ms]).toEqual([4, 61_000]);
    expect(durations.counts[bucketOf(250)]).toBe(3);
    expect(durations.counts[bucketOf(60_250)]).toBe(1);
  });

  it('leave out an end that was another process’s, and a run that was handed back', async () => {
    const totals = new RunTotals(() => 0);
    const store = totals.counting(aStore([claimed('1')], async () => 'fenced'));
    await store.claim(server, 1);
    await store.finish(lease('1'), { status: 'success' });
    await store.handBack(lease('1'), undefined);
    expect(totals.told).toMatchObject({ begun: 1, succeeded: 0, failed: 0, durations: { counts: [] } });
  });

  it('are told as what is new since the last time', () => {
    const before = {
      begun: 5,
      succeeded: 3,
      failed: 1,
      waiting: 9,
      durations: { counts: [1, 3], sum_ms: 7 },
    };
    const now = {
      begun: 7,
      succeeded: 4,
      failed: 2,
      waiting: 1,
      durations: { counts: [1, 4, 1], sum_ms: 9 },
    };
    expect(runsSince(before, now)).toEqual({
      begun: 2,
      succeeded: 1,
      failed: 1,
      waiting: 1,
      durations: { counts: [0, 1, 1], sum_ms: 2 },
    });
    expect(runsSince(undefined, now)).toEqual(now);
  });
});
