import { type Area, type Arrow, type Picture, type Point, type Shape, WIDTH } from './shapes.ts';
import { type Words, wordsOf } from './words.ts';

type Line = readonly [Point, Point];

/** How near words may come to the edge of what they stand in, and to what they do not belong to. */
const PADDING = 8;
const CLEARANCE = 2;

const linesOf = ({ path }: Pick<Arrow, 'path'>): Line[] =>
  path.slice(1).map((to, index) => [path[index] ?? to, to]);

const grown = ([x, y, width, height]: Area, by: number): Area => [
  x - by,
  y - by,
  width + 2 * by,
  height + 2 * by,
];

const isInside = ([x, y, width, height]: Area, [left, top, outerWidth, outerHeight]: Area): boolean =>
  x >= left && y >= top && x + width <= left + outerWidth && y + height <= top + outerHeight;

const overlap = ([x, y, width, height]: Area, [x2, y2, width2, height2]: Area): boolean =>
  x < x2 + width2 && x2 < x + width && y < y2 + height2 && y2 < y + height;

/** Lines of pictures run along one axis, so the area between their ends is all that they cover. */
const areaOf = ([[x, y], [x2, y2]]: Line): Area => [
  Math.min(x, x2),
  Math.min(y, y2),
  Math.abs(x - x2),
  Math.abs(y - y2),
];

/** Whether two lines meet elsewhere than at an end of one of them. */
function cross(one: Line, other: Line): boolean {
  const [a, b] = [areaOf(one), areaOf(other)];
  return overlap(grown(a, 0.5), grown(b, 0.5));
}

const said = (shape: Shape): string => {
  switch (shape.kind) {
    case 'box':
      return shape.title;
    case 'group':
      return shape.title ?? 'a group';
    case 'label':
    case 'bar':
      return shape.says;
    default:
      return `${shape.kind} from ${shape.path.map((point) => point.join(' ')).join(', ')}`;
  }
};

function* flawsOfWords(words: readonly Words[], shapes: readonly Shape[]): Generator<string> {
  const canvas: Area = [PADDING, PADDING, WIDTH - 2 * PADDING, Number.MAX_SAFE_INTEGER];
  for (const [index, one] of words.entries()) {
    const { owner, says, area } = one;
    if (!isInside(area, canvas)) yield `"${says}" leaves the picture`;
    if ('at' in owner && owner.at.length === 4 && !isInside(grown(area, PADDING - 1), grown(owner.at, 1)))
      yield `"${says}" does not fit into its ${owner.kind}`;
    for (const other of words.slice(index + 1))
      if (overlap(area, other.area)) yield `"${says}" lies on "${other.says}"`;
    for (const shape of shapes) {
      if (shape === owner) continue;
      if (
        shape.kind === 'arrow' &&
        linesOf(shape).some((line) => overlap(areaOf(line), grown(area, CLEARANCE)))
      )
        yield `"${says}" lies on an ${said(shape)}`;
      if ((shape.kind === 'box' || shape.kind === 'bar') && overlap(shape.at, area))
        yield `"${says}" lies on ${said(shape)}`;
      if (shape.kind === 'group' && overlap(shape.at, area) && !isInside(area, shape.at))
        yield `"${says}" lies on the edge of ${said(shape)}`;
    }
  }
}

function* flawsOfArrows(shapes: readonly Shape[]): Generator<string> {
  const arrows = shapes.filter((shape) => shape.kind === 'arrow');
  for (const [index, one] of arrows.entries()) {
    for (const shape of shapes) {
      if (shape.kind !== 'box' && shape.kind !== 'bar') continue;
      if (linesOf(one).some((line) => overlap(grown(areaOf(line), 0.5), grown(shape.at, -1))))
        yield `an ${said(one)} runs through ${said(shape)}`;
    }
    for (const other of arrows.slice(index + 1)) {
      if (one.joins === true || other.joins === true) continue;
      if (linesOf(one).some((line) => linesOf(other).some((against) => cross(line, against))))
        yield `an ${said(one)} crosses an ${said(other)}`;
    }
  }
}

function* flawsOfBoxes({ shapes, height }: Picture): Generator<string> {
  const canvas: Area = [PADDING, PADDING, WIDTH - 2 * PADDING, height - 2 * PADDING];
  const solid = shapes.filter((shape) => shape.kind === 'box' || shape.kind === 'bar');
  const groups = shapes.filter((shape) => shape.kind === 'group');
  for (const shape of [...solid, ...groups])
    if (!isInside(shape.at, canvas)) yield `${said(shape)} leaves the picture`;
  for (const [index, one] of solid.entries()) {
    for (const other of solid.slice(index + 1))
      if (overlap(one.at, other.at)) yield `${said(one)} lies on ${said(other)}`;
    for (const group of groups)
      if (overlap(one.at, group.at) && !isInside(one.at, group.at))
        yield `${said(one)} lies on the edge of ${said(group)}`;
  }
}

/**
 * What a designer would not sign: words that touch each other, a line or a foreign box, or that leave their
 * own; arrows that cross; boxes that overlap. Measured for the widest letters that a reader may have.
 */
export function flawsOf(picture: Picture): string[] {
  return [
    ...flawsOfWords(wordsOf(picture), picture.shapes),
    ...flawsOfArrows(picture.shapes),
    ...flawsOfBoxes(picture),
  ];
}
