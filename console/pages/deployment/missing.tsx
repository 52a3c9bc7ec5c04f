import type { Metrics } from '../../data/metrics.ts';

type What = Metrics['missing'][number]['what'];

/** Why something is not measured, in the words of who would measure it; each reason once. */
export function Missing({
  metrics: { missing, source },
  of,
}: {
  metrics: Metrics;
  of?: readonly What[] | undefined;
}) {
  const reasons = new Set(
    missing.filter(({ what }) => of === undefined || of.includes(what)).map(({ why }) => why),
  );
  if (source === null && reasons.size === 0)
    reasons.add('Nothing was measured yet. The first numbers come a minute after the first server runs.');
  if (reasons.size === 0) return null;
  return (
    <ul class="missing meta">
      {[...reasons].map((why) => (
        <li key={why}>{why}</li>
      ))}
    </ul>
  );
}
