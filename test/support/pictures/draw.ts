import { colours } from './colours.ts';
import { icons } from './icons.ts';
import { type Arrow, type Box, type Group, type Picture, type Point, type Shape, WIDTH } from './shapes.ts';
import { textHeight, type Words, wordsOf } from './words.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const tokens = (index: 0 | 1): string =>
  Object.entries(colours)
    .map(([name, both]) => `--${name}:${both[index]}`)
    .join(';');

/** One file for both themes. It has a ground of its own, so that it can be read on any page. */
const STYLE = [
  `:root{${tokens(0)}}`,
  `@media (prefers-color-scheme:dark){:root{${tokens(1)}}}`,
  'text{font-family:Geist,system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-variant-numeric:tabular-nums}',
  '.mono{font-family:"Geist Mono",ui-monospace,"SF Mono",Menlo,Consolas,monospace}',
  '.icon{fill:none;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}',
].join('\n');

const CORNER = 8;
const HEAD = 7;

/** The point on the way from one to another, so far from the first. */
function towards([x, y]: Point, [toX, toY]: Point, distance: number): Point {
  const length = Math.hypot(toX - x, toY - y);
  return length === 0 ? [x, y] : [x + ((toX - x) * distance) / length, y + ((toY - y) * distance) / length];
}

const spelled = ([x, y]: Point): string => `${Number(x.toFixed(1))} ${Number(y.toFixed(1))}`;

/** A line through points, with round corners. */
function lineThrough(path: readonly Point[]): string {
  const parts = path.map((point, index) => {
    const before = path[index - 1];
    const after = path[index + 1];
    if (before === undefined) return `M${spelled(point)}`;
    if (after === undefined) return `L${spelled(point)}`;
    const room = (to: Point) => Math.min(CORNER, Math.hypot(to[0] - point[0], to[1] - point[1]) / 2);
    const [into, out] = [towards(point, before, room(before)), towards(point, after, room(after))];
    return `L${spelled(into)}Q${spelled(point)} ${spelled(out)}`;
  });
  return parts.join('');
}

/** A triangle at the end of a line that comes from `from`. */
function headAt(at: Point, from: Point, colour: string): string {
  const base = towards(at, from, HEAD);
  const [dx, dy] = [(at[1] - base[1]) / 2, (base[0] - at[0]) / 2];
  const sides: Point[] = [
    [base[0] + dx, base[1] + dy],
    [base[0] - dx, base[1] - dy],
  ];
  return `<path d="M${spelled(at)}L${sides.map(spelled).join('L')}Z" fill="var(--${colour})"/>`;
}

function drawArrow({ path, tone = 'plain', dashed = false, heads = 'end' }: Arrow): string {
  const colour = tone === 'plain' ? 'ink-3' : tone;
  const [first, second] = path;
  const [last, beforeLast] = [path.at(-1), path.at(-2)];
  if (first === undefined || second === undefined || last === undefined || beforeLast === undefined)
    throw new Error('an arrow has two points at least');
  const hasStart = heads === 'both';
  const hasEnd = heads !== 'none';
  const shown = path.map((point, index) => {
    if (index === 0 && hasStart) return towards(first, second, HEAD - 1);
    return index === path.length - 1 && hasEnd ? towards(last, beforeLast, HEAD - 1) : point;
  });
  const dashes = dashed ? ' stroke-dasharray="4 4"' : '';
  return [
    `<path d="${lineThrough(shown)}" fill="none" stroke="var(--${colour})" stroke-width="1.5"${dashes}/>`,
    ...(hasStart ? [headAt(first, second, colour)] : []),
    ...(hasEnd ? [headAt(last, beforeLast, colour)] : []),
  ].join('');
}

function drawBox({ at, tone = 'plain', icon, notes = [] }: Box): string {
  const [x, y, width, height] = at;
  const [ground, edge, ink] = tone === 'plain' ? ['surface', 'line-2', 'ink-3'] : [`${tone}-bg`, tone, tone];
  const top = y + (height - textHeight(notes.length)) / 2;
  const rect = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="var(--${ground})" stroke="var(--${edge})"/>`;
  if (icon === undefined) return rect;
  const place = `translate(${x + 12} ${top}) scale(.667)`;
  return `${rect}<g class="icon" transform="${place}" stroke="var(--${ink})">${icons[icon]}</g>`;
}

function drawGroup({ at: [x, y, width, height], dashed = false }: Group): string {
  const look = dashed
    ? 'fill="none" stroke="var(--line-2)" stroke-dasharray="5 4"'
    : 'fill="var(--group)" stroke="var(--line-2)"';
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10" ${look}/>`;
}

function drawShape(shape: Shape): string | undefined {
  switch (shape.kind) {
    case 'group':
      return drawGroup(shape);
    case 'box':
      return drawBox(shape);
    case 'arrow':
      return drawArrow(shape);
    case 'bar': {
      const [x, y, width, height] = shape.at;
      return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="var(--${shape.tone}-bg)" stroke="var(--${shape.tone})"/>`;
    }
    case 'guide': {
      const [from, to] = shape.path;
      const dashes = shape.dashed === true ? ' stroke-dasharray="2 4"' : '';
      return `<path d="M${spelled(from)}L${spelled(to)}" stroke="var(--ink-3)" stroke-width="1"${dashes}/>`;
    }
    default:
      return undefined;
  }
}

function drawWords({ says, x, y, anchor, size, weight, mono, colour }: Words, isBare: boolean): string {
  const attributes = [
    `x="${x}" y="${y}" font-size="${size}" fill="var(--${colour})"`,
    ...(anchor === 'start' ? [] : [`text-anchor="${anchor}"`]),
    ...(weight === 400 ? [] : [`font-weight="${weight}"`]),
    ...(mono ? ['class="mono"'] : []),
    // What is said across a line that may be crossed stands before it.
    ...(isBare ? ['paint-order="stroke" stroke="var(--bg)" stroke-width="4" stroke-linejoin="round"'] : []),
  ];
  return `<text ${attributes.join(' ')}>${escaped(says)}</text>`;
}

/** Groups lie below everything, lines below boxes, and words above all. */
const layers: readonly Shape['kind'][] = ['group', 'guide', 'bar', 'arrow', 'box'];

/** A picture as SVG, light and dark, with a title and a description. Ends with a line break. */
export function draw(picture: Picture): string {
  const { title, description, height, shapes } = picture;
  const hasGuides = shapes.some(({ kind }) => kind === 'guide');
  const drawn = layers.flatMap((kind) =>
    shapes.filter((shape) => shape.kind === kind).map((shape) => drawShape(shape) ?? ''),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>\n${STYLE}\n</style>`,
    `<rect x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="14" fill="var(--bg)" stroke="var(--line)"/>`,
    ...drawn,
    ...wordsOf(picture).map((each) => drawWords(each, each.owner.kind === 'label' && hasGuides)),
    '</svg>',
    '',
  ].join('\n');
}
