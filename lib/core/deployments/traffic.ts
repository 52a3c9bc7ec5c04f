import type { TrafficView } from '../../contract/deployments/metrics.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { mergeAll } from '../../domain/metrics/merge.ts';
import { stepsByRevision, stepsOfAll } from '../../domain/metrics/shown.ts';
import { quarterAt } from '../../domain/metrics/times.ts';
import type { Deps } from '../deps.ts';
import { minutesIn } from '../items/metrics.ts';

const STEP_SECONDS = 300;
const STEP_MILLISECONDS = STEP_SECONDS * 1000;
const STEPS = 12;
const MINUTES = (STEPS * STEP_SECONDS) / 60;

/**
 * The traffic of a deployment within the last hour, in steps of five minutes, the last of which may not be
 * over. Null: nothing was told of it. A read of half a unit, more where something was.
 */
export async function trafficOf(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  ref: DeploymentRef,
): Promise<TrafficView | null> {
  const now = clock.now();
  const from = now - (now % STEP_MILLISECONDS) - (STEPS - 1) * STEP_MILLISECONDS;
  const quarters = { from: quarterAt(from), to: quarterAt(now) };
  const minutes = (await minutesIn(table, ref, quarters, { eventually: true })).filter(
    ({ at }) => at >= from,
  );
  if (minutes.length === 0) return null;
  const steps = stepsOfAll(stepsByRevision(minutes, STEP_MILLISECONDS));
  const told = Array.from({ length: STEPS }, (_, place) => steps.get(from + place * STEP_MILLISECONDS));
  const { requests, restarts } = mergeAll([...steps.values()], 'times') ?? {};
  return {
    step: STEP_SECONDS,
    from: new Date(from).toISOString(),
    requests: told.map((counts) => counts?.requests?.all ?? null),
    failed: told.map((counts) => (counts?.requests === undefined ? null : (counts.requests.failed ?? 0))),
    a_minute: requests === undefined ? null : Math.round((requests.all / MINUTES) * 10) / 10,
    restarts: restarts === undefined ? null : restarts.reduce((sum, { count }) => sum + count, 0),
  };
}
