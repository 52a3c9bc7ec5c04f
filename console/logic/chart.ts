/** A value of a chart: a number, `none` where there was nothing to measure, and null where nobody measured. */
export type Value = number | 'none' | null;

/** What time a chart shows: slots of `step` milliseconds from `from` (epoch milliseconds) on. */
export type Axis = { from: number; step: number; slots: number };

/** The box that lines are drawn in; it is stretched to whatever place there is. */
export const WIDTH = 240;
export const HEIGHT = 72;

/** Ends of a scale that people read easily, as shares of ten. */
const NICE = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1];

/** The end of a scale that begins at zero and holds these values: a round number, little more than the greatest. */
export function topOf(values: readonly Value[]): number {
  let most = 0;
  for (const value of values) if (typeof value === 'number' && value > most) most = value;
  if (most === 0) return 1;
  const power = 10 ** Math.ceil(Math.log10(most));
  return (NICE.find((share) => share * power >= most) ?? 1) * power;
}

/** Where a slot is from left to right, from 0 to 1. */
export const shareAcross = (slot: number, slots: number): number => (slots < 2 ? 0 : slot / (slots - 1));

/** Where a time (epoch milliseconds) is from left to right; undefined: outside what is shown. */
export function shareOfTime(at: number, { from, step, slots }: Axis): number | undefined {
  const share = shareAcross((at - from) / step, slots);
  return share >= 0 && share <= 1 ? share : undefined;
}

/** The slot at a share from left to right, for a pointer. */
export const slotAt = (share: number, slots: number): number =>
  Math.max(0, Math.min(slots - 1, Math.round(share * (slots - 1))));

/** When a slot begins, in epoch milliseconds. */
export const timeOf = (slot: number, { from, step }: Axis): number => from + slot * step;

/** Values by slot, of what was told at times; null where nothing was. */
export function slotted<P extends { at: string }>(
  points: readonly P[],
  axis: Axis,
  valueOf: (point: P) => Value,
): Value[] {
  const values = Array.from<Value>({ length: axis.slots }).fill(null);
  for (const point of points) {
    const slot = Math.floor((Date.parse(point.at) - axis.from) / axis.step);
    if (slot >= 0 && slot < axis.slots) values[slot] = valueOf(point);
  }
  return values;
}

/** What of a line is drawn: its own shape, what is below it, and the base where there was nothing to measure. */
export type Shape = { line: string; fill: string; base: string };

type Run = { kind: 'number' | 'none'; first: number; values: number[] };

/** Slots of one kind that follow each other. */
function runsOf(values: readonly Value[]): Run[] {
  const runs: Run[] = [];
  let open: Run | undefined;
  for (const [slot, value] of values.entries()) {
    const kind = value === null ? undefined : value === 'none' ? 'none' : 'number';
    if (kind !== open?.kind) {
      open = kind && { kind, first: slot, values: [] };
      if (open !== undefined) runs.push(open);
    }
    open?.values.push(typeof value === 'number' ? value : 0);
  }
  return runs;
}

const rounded = (value: number): string => String(Math.round(value * 10) / 10);

/** The paths of a line in a box of `width` and `height`. A gap stays one; a single value is a dot. */
export function shapeOf(values: readonly Value[], top: number, width = WIDTH, height = HEIGHT): Shape {
  const shape: Shape = { line: '', fill: '', base: '' };
  const x = (slot: number) => rounded(shareAcross(slot, values.length) * width);
  for (const { kind, first, values: run } of runsOf(values)) {
    const last = first + run.length - 1;
    const y = (value: number) => rounded(height - (value / top) * height);
    const points = run.map((value, index) => `${x(first + index)} ${y(value)}`);
    // Of one point a line has no length, and is drawn for its round ends alone.
    const path = `M${points.join('L')}${run.length === 1 ? 'h.01' : ''}`;
    if (kind === 'none') shape.base += path;
    else {
      shape.line += path;
      shape.fill += `M${x(first)} ${height}L${points.join('L')}L${x(last)} ${height}Z`;
    }
  }
  return shape;
}

/** Whether there was something to show, and all of it was nothing. */
export const isStill = (values: readonly Value[]): boolean =>
  values.some((value) => value !== null) &&
  values.every((value) => value === null || value === 'none' || value === 0);

/** The greatest value; null: there is none. */
export function peakOf(values: readonly Value[]): number | null {
  let most: number | null = null;
  for (const value of values) if (typeof value === 'number' && (most === null || value > most)) most = value;
  return most;
}

/** The newest value that is a number; null: there is none. */
export const lastOf = (values: readonly Value[]): number | null =>
  values.findLast((value) => typeof value === 'number') ?? null;

/** How many of all, from 0 to 1; `none` of nothing. */
export const shareOf = (part: number, all: number): Value => (all === 0 ? 'none' : part / all);

/** A deploy, and where it leads; `at` in epoch milliseconds. */
export type Mark = { at: number; number: number; href: string };

/** Marks that are nearer than this to the next one have no number beside them. */
const LABEL_SHARE = 0.1;

/** The marks within an axis, from left to right. Of those that stand too close, the newest has its number. */
export function labelledMarks(
  marks: readonly Mark[],
  axis: Axis,
): (Mark & { share: number; isLabelled: boolean })[] {
  const shown = marks
    .flatMap((mark) => {
      const share = shareOfTime(mark.at, axis);
      return share === undefined ? [] : [{ ...mark, share }];
    })
    .toSorted((one, other) => one.at - other.at);
  return shown.map((mark, index) => ({
    ...mark,
    isLabelled: (shown[index + 1]?.share ?? 2) - mark.share >= LABEL_SHARE,
  }));
}

export type LineTone =
  | 'requests'
  | 'errors'
  | 'latency'
  | 'latency low'
  | 'latency high'
  | 'ok'
  | 'warn'
  | 'none'
  | 'other';

/** One line of a chart, by slots of its axis. */
export type Line = { title: string; tone: LineTone; values: readonly Value[] };

/** A chart: the number first, then the shape. The first of its lines is the one that the number is of. */
export type Chart = {
  title: string;
  lines: readonly [Line, ...Line[]];
  /** How it stands now, and in what; null: nothing is known. */
  figure: string | null;
  unit: string;
  /** What stands at the right: the peak, in words. */
  beside?: string | undefined;
  /** What changed, as a sentence. */
  says: string;
  /** A value as people read it. */
  format: (value: number) => string;
};
