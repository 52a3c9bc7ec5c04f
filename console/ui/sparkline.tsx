import { isStill, shapeOf, topOf, type Value } from '../logic/chart.ts';

const WIDTH = 88;
const HEIGHT = 24;
/** So that the line is not cut where it is at its highest. */
const ROOM = 1.1;

type Props = {
  /** Oldest first; null: nobody measured. */
  values: readonly Value[];
  /** What it shows, as a sentence. */
  label: string;
  tone?: 'requests' | 'errors' | 'latency';
};

/** A line without words, for a row of a list. Flat and grey: nothing was asked. */
export function Sparkline({ values, label, tone = 'requests' }: Props) {
  const { line, fill, base } = shapeOf(values, topOf(values) * ROOM, WIDTH, HEIGHT);
  const shown = isStill(values) ? 'none' : tone;
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path class={`fill ${shown}`} d={fill} />
      <path class="plot none" d={base} />
      <path class={`plot ${shown}`} d={line} />
    </svg>
  );
}
