import type { Deps } from '../../core/deps.ts';
import { deploymentRefOf } from '../../core/items/deployments.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { type Measured, pointsOf, stepsByRevision, stepsOfAll, totalOf } from '../../domain/metrics/shown.ts';
import { HOUR_MILLISECONDS } from '../../domain/metrics/times.ts';
import { hoursOf, minutesOf } from './measured.ts';
import { missingOf } from './missing.ts';
import { latestOf } from './now.ts';
import type { Answer, Asked } from './of-deployment.ts';
import { REVISIONS_SHOWN_MAX } from './shape.ts';

const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;
/** The clock of a listener may be ahead a little. */
const AHEAD_MILLISECONDS = HOUR_MILLISECONDS;

/** What listeners have counted: by minutes, or by hours where no smaller step is asked for. */
export async function fromListener(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  asked: Asked,
): Promise<Answer> {
  const { deployment, time, stepMilliseconds } = asked;
  const ref = deploymentRefOf(deployment);
  const now = clock.now();
  const day = { from: now - DAY_MILLISECONDS, to: now + AHEAD_MILLISECONDS };
  const [measured, recent] = await Promise.all([
    stepMilliseconds < HOUR_MILLISECONDS ? minutesOf(table, ref, time) : hoursOf(table, ref, time),
    hoursOf(table, ref, day),
  ]);
  const latest = latestOf(deployment, recent, now);
  const steps = stepsByRevision(measured, stepMilliseconds);
  const shown = newestShown(measured);
  const ids = await idsOf(table, asked, [...shown, ...(latest === undefined ? [] : [latest.revision])]);
  const nowId = latest && ids.get(latest.revision);
  return {
    source: 'listener',
    missing: await missingOf(table, deployment, asked.deploys[0]?.revision, [...measured, ...recent]),
    now: latest !== undefined && nowId !== undefined ? { ...latest.view, revision_id: nowId } : null,
    total: pointsOf(stepsOfAll(steps)),
    revisions: shown.flatMap((number) => {
      const id = ids.get(number);
      const own = steps.get(number);
      if (id === undefined || own === undefined) return [];
      return [{ revision_id: id, number, total: totalOf(own), points: pointsOf(own) }];
    }),
  };
}

/** The numbers of those that told something last, the newest first. */
function newestShown(measured: readonly Measured[]): number[] {
  const last = new Map(measured.map(({ revision, at }) => [revision, at]));
  return [...last]
    .sort(([a, aAt], [b, bAt]) => bAt - aAt || b - a)
    .slice(0, REVISIONS_SHOWN_MAX)
    .map(([number]) => number)
    .sort((a, b) => b - a);
}

/** Ids by number. Most are known already. */
async function idsOf(
  table: Deps['table'],
  { deployment, deploys }: Asked,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const known = new Map(deploys.map(({ revision }) => [revision.number, revision.id]));
  known.set(deployment.latest_number, deployment.latest_revision_id);
  const unknown = new Set(numbers.filter((number) => !known.has(number)));
  const read = [...unknown].map((number) => findRevisionByNumber(table, deploymentRefOf(deployment), number));
  for (const revision of await Promise.all(read))
    if (revision !== undefined) known.set(revision.number, revision.id);
  return known;
}
