import { withColoursAlone, withoutSequences } from '../../contract/terminal-text.ts';
import { withBidiShown } from '../../shown-text.ts';
import type { World } from './world.ts';

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof styles;

const ESCAPE = '\u001b[';
const CLEAR_LINE = `\r${ESCAPE}2K`;
/** What a terminal would act on, other than the end of a line and a tab. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const withoutControls = (text: string): string => withBidiShown(text.replace(CONTROL, ''));

/** A text of somebody else on one line, without anything that a terminal would act on. */
export const plain = (text: string): string =>
  withoutControls(
    withoutSequences(text)
      .split('\n')
      .map((line, at) => (at === 0 ? line.trimEnd() : line.trim()))
      .join(' '),
  );

/** JSON leaves these as they are, and terminals act on some. */
const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\u009f]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`);

const COLOUR = /(\u001b\[[\d;:]*m)/;

/** A line whose colours are all that a terminal acts on. */
const coloured = (line: string): string =>
  withColoursAlone(line)
    .split(COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : withoutControls(part)))
    .join('');

/** In characters, of which some are two units of a string. */
const widthOf = (text: string): number => Array.from(text).length;

/** One row of a table, and how its cells are styled. */
export type Cell = string | { text: string; style: Style };
const textOf = (cell: Cell): string => plain(typeof cell === 'string' ? cell : cell.text);

/**
 * What a command prints. Results alone go to stdout, as text or, with `--json`, as JSON; all else goes to
 * stderr: a line that is written over on a terminal, plain lines elsewhere.
 */
export class Output {
  readonly isJson: boolean;
  /** Whether a person reads along: a terminal, and no CI. */
  readonly isLive: boolean;
  /** Whether a person reads the result: times are how long ago. */
  readonly isForPeople: boolean;
  readonly #world: Pick<World, 'stdout' | 'stderr' | 'environment'>;
  #progress = '';

  constructor(world: Pick<World, 'stdout' | 'stderr' | 'environment'>, { json = false }: { json?: boolean }) {
    this.#world = world;
    this.isJson = json;
    this.isForPeople = world.stdout.isTerminal;
    this.isLive = world.stderr.isTerminal && !isSet(world.environment.CI);
  }

  #colours(to: 'stdout' | 'stderr'): boolean {
    return this.#world[to].isTerminal && !isSet(this.#world.environment.NO_COLOR);
  }

  /** Text in a style, where the stream shows colours. */
  styled(style: Style, text: string, to: 'stdout' | 'stderr' = 'stdout'): string {
    return this.#colours(to) ? `${ESCAPE}${styles[style]}m${text}${ESCAPE}0m` : text;
  }

  /** The result: this object with `--json`, else these lines. */
  result(json: unknown, lines: readonly string[]): void {
    this.#clear();
    const printed = this.isJson ? [jsonText(json)] : lines;
    for (const line of printed) this.#world.stdout.write(`${line}\n`);
  }

  /** One entry of a result that streams. */
  entry(json: unknown, line: string): void {
    this.result(json, [line]);
  }

  /** A line of a log as a result: its colours stay on a terminal. */
  logLine(json: unknown, message: string, style?: Style): void {
    this.entry(json, this.#shownLog(message, 'stdout', style));
  }

  #shownLog(message: string, to: 'stdout' | 'stderr', style?: Style): string {
    if (!this.#colours(to)) return withoutControls(withoutSequences(message));
    const line = coloured(message);
    return style === undefined
      ? `${line}${line.includes(ESCAPE) ? `${ESCAPE}0m` : ''}`
      : this.styled(style, line, to);
  }

  /** What happens meanwhile, for people. */
  say(text: string, style?: Style): void {
    const safe = text.split('\n').map(plain).join('\n');
    this.sayAsIs(style === undefined ? safe : this.styled(style, safe, 'stderr'));
  }

  /** A line of a log that is shown meanwhile. */
  sayLog(message: string): void {
    this.sayAsIs(`  ${this.#shownLog(message, 'stderr')}`);
  }

  /** A line that is safe to show, with its styles. */
  sayAsIs(line: string): void {
    this.#clear();
    this.#world.stderr.write(`${line}\n`);
    this.#draw();
  }

  /** What is being waited for: written over on a terminal; elsewhere nothing. An empty text ends it. */
  progress(text: string): void {
    if (!this.isLive) return;
    this.#clear();
    this.#progress = plain(text);
    this.#draw();
  }

  #draw(): void {
    if (this.#progress !== '') this.#world.stderr.write(this.styled('dim', this.#progress, 'stderr'));
  }

  #clear(): void {
    if (this.#progress !== '') this.#world.stderr.write(CLEAR_LINE);
  }

  /** Why a command did not do what was asked: text on stderr, and with `--json` an object on stdout. */
  failure(message: string, more: object): void {
    this.progress('');
    if (this.isJson) this.result({ error: message, ...more }, []);
    else this.say(message, 'red');
  }

  /** Columns as wide as they need, with a heading. */
  table(heading: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
    const widths = heading.map((title, at) =>
      Math.max(title.length, ...rows.map((cells) => widthOf(textOf(cells[at] ?? '')))),
    );
    const line = (cells: readonly Cell[]) =>
      cells
        .map((cell, at) => {
          const text = textOf(cell);
          const isLast = at === cells.length - 1;
          const space = isLast ? '' : ' '.repeat((widths[at] ?? 0) - widthOf(text) + 2);
          return (typeof cell === 'string' ? text : this.styled(cell.style, text)) + space;
        })
        .join('')
        .trimEnd();
    return [this.styled('dim', line(heading)), ...rows.map(line)];
  }

  /** Labels and values, one a line; those without a value are left out. */
  facts(facts: readonly (readonly [string, Cell | null | undefined])[]): string[] {
    const given = facts.flatMap(([label, cell]) =>
      cell === null || cell === undefined || cell === '' ? [] : [{ label, cell }],
    );
    const width = Math.max(0, ...given.map(({ label }) => label.length));
    return given.map(({ label, cell }) => {
      const text = textOf(cell);
      const shown = typeof cell === 'string' ? text : this.styled(cell.style, text);
      return `${this.styled('dim', label.padEnd(width))}  ${shown}`;
    });
  }
}

/** As no-color.org and CI services have it: there, and not empty. */
const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== 'false';
