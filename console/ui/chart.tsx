import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import {
  type Axis,
  type Chart,
  HEIGHT,
  isStill,
  labelledMarks,
  type Mark,
  shapeOf,
  shareAcross,
  slotAt,
  timeOf,
  topOf,
  type Value,
  WIDTH,
} from '../logic/chart.ts';
import { beginningOf, momentOf } from '../logic/chart-time.ts';

type Props = {
  axis: Axis;
  charts: readonly Chart[];
  /** What was deployed meanwhile, and where that leads. */
  marks: readonly Mark[];
  isTable?: boolean;
};

const shown = (value: Value | undefined, format: Chart['format']): string =>
  typeof value === 'number' ? format(value) : value === 'none' ? '–' : 'no data';

/** What every chart holds at a slot, for who hears it. */
function readAt(slot: number, axis: Axis, charts: readonly Chart[]): string {
  const values = charts.flatMap(({ lines, format, title }) =>
    lines.map(
      (line) =>
        `${lines.length > 1 ? `${title}, ${line.title}` : title}: ${shown(line.values[slot], format)}`,
    ),
  );
  return `${momentOf(timeOf(slot, axis), axis)}. ${values.join('; ')}`;
}

/**
 * Charts that share one axis and one cursor, which a pointer or the arrow keys move. As a table: the same
 * numbers.
 */
export function Charts({ axis, charts, marks, isTable = false }: Props) {
  const [cursor, setCursor] = useState<number>();
  if (isTable) return <ChartTable axis={axis} charts={charts} />;
  const last = Math.max(0, axis.slots - 1);
  const at = cursor === undefined ? undefined : Math.min(cursor, last);
  return (
    <div class="charts">
      <input
        class="cursor"
        type="range"
        min={0}
        max={last}
        value={at ?? last}
        aria-label="Time in the charts"
        aria-valuetext={readAt(at ?? last, axis, charts)}
        onFocus={() => setCursor((before) => before ?? last)}
        onBlur={() => setCursor(undefined)}
        onInput={({ currentTarget }) => setCursor(Number(currentTarget.value))}
      />
      {charts.map((chart, index) => (
        <Figure key={chart.title} {...{ chart, axis, marks, cursor: at, setCursor }} isFirst={index === 0} />
      ))}
    </div>
  );
}

type FigureProps = {
  chart: Chart;
  axis: Axis;
  marks: readonly Mark[];
  cursor: number | undefined;
  setCursor: (slot: number | undefined) => void;
  /** Its marks are those that the keyboard stops at. */
  isFirst: boolean;
};

function Figure({ chart, axis, marks, cursor, setCursor, isFirst }: FigureProps) {
  const { title, lines, figure, unit, beside, format } = chart;
  const [first] = lines;
  const number = cursor === undefined ? (figure ?? 'No data') : shown(first.values[cursor], format);
  return (
    <figure class="chart">
      <figcaption>
        {lines.length === 1 && <span class={`swatch ${first.tone}`} />}
        {title}
        {beside !== undefined && <span class="push meta">{beside}</span>}
      </figcaption>
      <div class="fig">
        {number}
        <small>{cursor === undefined ? unit : momentOf(timeOf(cursor, axis), axis)}</small>
      </div>
      <div
        class="canvas"
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          setCursor(slotAt((clientX - left) / width, axis.slots));
        }}
        onPointerLeave={() => setCursor(undefined)}
      >
        <Plot chart={chart} axis={axis} cursor={cursor} />
        <Marks marks={labelledMarks(marks, axis)} isStop={isFirst} />
      </div>
      <div class="axis meta">
        <span>{beginningOf(axis)}</span>
        <span>now</span>
      </div>
      {lines.length > 1 && <Legend {...{ lines, format, cursor }} />}
    </figure>
  );
}

const across = (slot: number, slots: number): string => `${(shareAcross(slot, slots) * 100).toFixed(2)}%`;

function Plot({
  chart: { lines, says },
  axis,
  cursor,
}: {
  chart: Chart;
  axis: Axis;
  cursor: number | undefined;
}) {
  const top = topOf(lines.flatMap(({ values }) => values));
  const x = cursor === undefined ? undefined : across(cursor, axis.slots);
  return (
    <svg class="area" role="img" aria-label={says}>
      <line class="grid" x1="0" x2="100%" y1="100%" y2="100%" />
      <line class="grid" x1="0" x2="100%" y1="50%" y2="50%" />
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width="100%"
        height="100%"
        preserveAspectRatio="none"
        overflow="visible"
      >
        {lines.map(({ title, tone, values }) => {
          const { line, fill, base } = shapeOf(values, top);
          const drawn = isStill(values) ? 'none' : tone;
          return (
            <g key={title}>
              {lines.length === 1 && <path class={`fill ${drawn}`} d={fill} />}
              <path class="plot none" vector-effect="non-scaling-stroke" d={base} />
              <path class={`plot ${drawn}`} vector-effect="non-scaling-stroke" d={line} />
            </g>
          );
        })}
      </svg>
      {x !== undefined && <line class="at" x1={x} x2={x} y1="0" y2="100%" />}
      {x !== undefined &&
        lines.map(({ title, tone, values }) => {
          const value = values[cursor ?? 0];
          return typeof value === 'number' ? (
            <circle key={title} class={`dot ${tone}`} cx={x} cy={`${100 - (value / top) * 100}%`} r="3" />
          ) : null;
        })}
    </svg>
  );
}

/** Each deploy where it happened, as a link to its revision. */
function Marks({ marks, isStop }: { marks: ReturnType<typeof labelledMarks>; isStop: boolean }) {
  if (marks.length === 0) return null;
  return (
    <svg class="marks" aria-hidden={!isStop}>
      {marks.map(({ href, share, number, isLabelled }) => {
        const x = `${(share * 100).toFixed(2)}%`;
        const isAtEnd = share > 0.9;
        return (
          <Link
            key={`${href} ${x}`}
            href={href}
            tabindex={isStop ? 0 : -1}
            aria-label={`Revision ${number} was deployed here`}
          >
            <line class="reach" x1={x} x2={x} y1="-6" y2="100%" />
            <line class="mark-line" x1={x} x2={x} y1="-6" y2="100%" />
            {isLabelled && (
              <text
                class="marktext"
                x={x}
                y="2"
                dx={isAtEnd ? -4 : 4}
                text-anchor={isAtEnd ? 'end' : 'start'}
              >
                {number}
              </text>
            )}
          </Link>
        );
      })}
    </svg>
  );
}

type LegendProps = Pick<Chart, 'lines' | 'format'> & { cursor: number | undefined };

const Legend = ({ lines, format, cursor }: LegendProps) => (
  <ul class="legend meta">
    {lines.map(({ title, tone, values }) => (
      <li key={title}>
        <span class={`swatch ${tone}`} />
        {title}
        {cursor !== undefined && <b>{shown(values[cursor], format)}</b>}
      </li>
    ))}
  </ul>
);

/** The numbers of charts, newest first; times of which nothing is known are left out. */
function ChartTable({ axis, charts }: Pick<Props, 'axis' | 'charts'>) {
  const columns = charts.flatMap(({ title, lines, format }) =>
    lines.map((line) => ({ title: lines.length > 1 ? `${title}, ${line.title}` : title, line, format })),
  );
  const slots = Array.from({ length: axis.slots }, (_, index) => axis.slots - 1 - index);
  const known = slots.filter((slot) => columns.some(({ line }) => (line.values[slot] ?? null) !== null));
  return (
    <div class="chart-table" role="region" aria-label="The charts as a table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {columns.map(({ title }) => (
              <th key={title} scope="col" class="num">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {known.map((slot) => (
            <tr key={slot}>
              <th scope="row">{momentOf(timeOf(slot, axis), axis)}</th>
              {columns.map(({ title, line, format }) => (
                <td key={title} class="num">
                  {shown(line.values[slot], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {known.length === 0 && <p class="dim">Nothing was measured in this time.</p>}
    </div>
  );
}
