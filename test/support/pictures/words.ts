import type { Anchor, Area, Box, Label, Picture, Shape } from './shapes.ts';

/** A line of text as it is drawn, with the area that it takes on the machine whose letters are widest. */
export type Words = {
  says: string;
  x: number;
  /** Of its base line. */
  y: number;
  anchor: Anchor;
  size: number;
  weight: 400 | 500 | 600;
  mono: boolean;
  /** The name of a colour. */
  colour: string;
  area: Area;
  owner: Shape;
};

const SIZE = 12;
const TITLE_SIZE = 14;
const MONO_SIZE = 12;
/** How wide a letter of the widest fonts that readers have is, in sizes of the font. */
const NARROW = 0.36;
const WIDE = 0.92;
const CAPITAL = 0.73;
const OTHER = 0.625;
const MONO = 0.61;
const BOLDER = { 400: 1, 500: 1.08, 600: 1.14 };

function widthOf(says: string, size: number, weight: Words['weight'], mono: boolean): number {
  if (mono) return says.length * MONO * size;
  const widths = Array.from(says, (letter) => {
    if (/[ijltfrI.,:;'|!()[\]/ -]/.test(letter)) return NARROW;
    if (/[mwMW@…—]/.test(letter)) return WIDE;
    return /[A-Z]/.test(letter) ? CAPITAL : OTHER;
  });
  return widths.reduce((sum, each) => sum + each, 0) * size * BOLDER[weight];
}

function words(
  owner: Shape,
  says: string,
  [x, y]: readonly [number, number],
  more: Partial<Pick<Words, 'anchor' | 'size' | 'weight' | 'mono' | 'colour'>> = {},
): Words {
  const { anchor = 'start', size = SIZE, weight = 400, mono = false, colour = 'ink-2' } = more;
  const width = widthOf(says, size, weight, mono);
  const shift = { start: 0, middle: width / 2, end: width }[anchor];
  const area: Area = [x - shift, y - size * 0.8, width, size * 1.05];
  return { says, x, y, anchor, size, weight, mono, colour, area, owner };
}

/** Where the icon of a box ends and its title begins. */
const ICON_WIDTH = 24;

function wordsOfBox(shape: Box): Words[] {
  const { at, title, notes = [], icon, tone = 'plain', mono = false, price } = shape;
  const [x, y, width, height] = at;
  const left = x + 12;
  const top = y + (height - textHeight(notes.length)) / 2;
  return [
    words(shape, title, [left + (icon === undefined ? 0 : ICON_WIDTH), top + 13], {
      size: mono ? MONO_SIZE : TITLE_SIZE,
      weight: mono ? 500 : 600,
      mono,
      colour: tone === 'plain' ? 'ink' : tone,
    }),
    ...notes.map((note, index) => words(shape, note, [left, top + 32 + index * 16])),
    ...(price === undefined
      ? []
      : [words(shape, price, [x + width - 12, top + 13], { anchor: 'end', weight: 500, colour: 'ink' })]),
  ];
}

/** From the top of the title to the end of the last note. */
export const textHeight = (notes: number): number => (notes === 0 ? 18 : 20 + notes * 16);

const ofLabel = (shape: Label): Words =>
  words(shape, shape.says, shape.at, {
    anchor: shape.anchor ?? 'start',
    weight: shape.strong === true ? 600 : 400,
    mono: shape.mono ?? false,
    colour: shape.tone === undefined ? 'ink-2' : shape.tone === 'plain' ? 'ink' : shape.tone,
  });

/** Every line of text in a picture. */
export function wordsOf({ shapes }: Pick<Picture, 'shapes'>): Words[] {
  return shapes.flatMap(wordsOfShape);
}

function wordsOfShape(shape: Shape): Words[] {
  switch (shape.kind) {
    case 'box':
      return wordsOfBox(shape);
    case 'label':
      return [ofLabel(shape)];
    case 'bar': {
      const [x, y, , height] = shape.at;
      const at = [x + 12, y + height / 2 + 4] as const;
      return [
        words(shape, shape.says, at, { weight: 500, colour: shape.tone === 'plain' ? 'ink' : shape.tone }),
      ];
    }
    case 'group': {
      const [x, y, width] = shape.at;
      if (shape.title === undefined) return [];
      const title = words(shape, shape.title, [x + 14, y + 22], { weight: 600, colour: 'ink' });
      if (shape.meta === undefined) return [title];
      return [title, words(shape, shape.meta, [x + width - 14, y + 22], { anchor: 'end', colour: 'ink-3' })];
    }
    default:
      return [];
  }
}
