import type { RunCounts } from '../../contract/deployments/counts.ts';
import type { RunTotals } from './internal-calls.ts';

/** What has become of a server's runs since it told them before; undefined: it had not told yet. */
export function runsSince(before: RunTotals | undefined, now: RunTotals): RunCounts {
  const then = before?.durations ?? { counts: [], sum_ms: 0 };
  return {
    begun: now.begun - (before?.begun ?? 0),
    succeeded: now.succeeded - (before?.succeeded ?? 0),
    failed: now.failed - (before?.failed ?? 0),
    waiting: now.waiting,
    durations: {
      counts: now.durations.counts.map((count, bucket) => count - (then.counts[bucket] ?? 0)),
      sum_ms: now.durations.sum_ms - then.sum_ms,
    },
  };
}
