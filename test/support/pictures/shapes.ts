import type { Icon } from './icons.ts';

/** Left, top, width and height, in units of which a picture is 800 wide. */
export type Area = readonly [x: number, y: number, width: number, height: number];
export type Point = readonly [x: number, y: number];
/** As in the console: colour means a state, never decoration. */
export type Tone = 'plain' | 'ok' | 'busy' | 'warn' | 'bad' | 'idle';
export type Anchor = 'start' | 'middle' | 'end';

/** A thing: its name, and below it what it does. */
export type Box = {
  kind: 'box';
  at: Area;
  title: string;
  notes?: readonly string[];
  icon?: Icon;
  tone?: Tone;
  /** Names that a reader meets in code and answers. */
  mono?: boolean;
  /** What it costs, in the upper right corner. */
  price?: string;
};

/** What several things are in: a stage, a network, a namespace. */
export type Group = { kind: 'group'; at: Area; title?: string; meta?: string; dashed?: boolean };

/** Something that lasts: its length is time. */
export type Bar = { kind: 'bar'; at: Area; says: string; tone: Tone };

export type Arrow = {
  kind: 'arrow';
  path: readonly Point[];
  tone?: Tone;
  dashed?: boolean;
  heads?: 'end' | 'both' | 'none';
  /** It begins or ends on another arrow, or runs along with it for a while. */
  joins?: boolean;
};

/** Words that stand by themselves: at an arrow, under an axis. */
export type Label = {
  kind: 'label';
  at: Point;
  says: string;
  anchor?: Anchor;
  tone?: Tone;
  strong?: boolean;
  mono?: boolean;
};

/** A line that is only there to be looked along: others may cross it. */
export type Guide = { kind: 'guide'; path: readonly [Point, Point]; dashed?: boolean };

export type Shape = Box | Group | Bar | Arrow | Label | Guide;

export type Picture = {
  /** Of its file, without the ending. */
  name: string;
  title: string;
  /** All that it says, for who cannot see it. */
  description: string;
  height: number;
  shapes: readonly Shape[];
};

export const WIDTH = 800;

export const box = (at: Area, title: string, more: Omit<Box, 'kind' | 'at' | 'title'> = {}): Box => ({
  kind: 'box',
  at,
  title,
  ...more,
});

export const group = (at: Area, title?: string, more: Omit<Group, 'kind' | 'at' | 'title'> = {}): Group => ({
  kind: 'group',
  at,
  ...(title !== undefined && { title }),
  ...more,
});

export const bar = (at: Area, says: string, tone: Tone): Bar => ({ kind: 'bar', at, says, tone });

export const arrow = (path: readonly Point[], more: Omit<Arrow, 'kind' | 'path'> = {}): Arrow => ({
  kind: 'arrow',
  path,
  ...more,
});

export const label = (at: Point, says: string, more: Omit<Label, 'kind' | 'at' | 'says'> = {}): Label => ({
  kind: 'label',
  at,
  says,
  ...more,
});

/** Lines of words below each other. */
export const lines = (
  [x, y]: Point,
  texts: readonly string[],
  more: Omit<Label, 'kind' | 'at' | 'says'> = {},
): Label[] => texts.map((says, index) => label([x, y + index * 16], says, more));

export const guide = (path: readonly [Point, Point], dashed = true): Guide => ({
  kind: 'guide',
  path,
  dashed,
});
