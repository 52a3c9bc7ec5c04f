/**
 * Globs of paths as they are read: braces are written out first, then each part of a path becomes places of
 * one character. Reading a text takes time that grows as the text does.
 */

/** So many globs may come of writing out the braces of one list. */
export const GLOBS_WRITTEN_OUT_MAX = 64;

/** One character of a set; both ends of a range belong to it. */
export type CharacterClass = { isNot: boolean; ranges: readonly (readonly [from: number, to: number])[] };

/** What a place takes: `star` any characters, everything else one. A number is that very character. */
export type GlobPlace = 'star' | 'any' | CharacterClass | number;

/** A part between slashes: any number of parts (`**`), or one that fits one of these readings. */
export type GlobPart = '**' | readonly (readonly GlobPlace[])[];

/** A glob without braces. */
export type Glob = { text: string; parts: readonly GlobPart[] };

type Choice = { alternatives: Sequence[] };
type Sequence = (string | Choice)[];
type Read<T> = T | { problem: string };

const UNBALANCED = "every '{' and '[' of a path is closed, '[' in the same part; and nothing else is";
const RANGE = "a range such as '{a..c}' has one letter or digit on each side; other values stand with commas";

/** Where the class that opens at `at` closes, in the same part; undefined: nowhere. */
function endOfClass(text: string, at: number): number | undefined {
  let first = text[at + 1] === '^' ? at + 2 : at + 1;
  // What is named, such as [:alpha:], has brackets of its own.
  while (text.startsWith('[:', first) && text.indexOf(':]', first) > 0) first = text.indexOf(':]', first) + 2;
  // A bracket that comes first is one of the class's characters.
  const end = text.indexOf(']', first === at + 1 || text[first - 1] === '^' ? first + 1 : first);
  const slash = text.indexOf('/', at);
  return end === -1 || (slash !== -1 && slash < end) ? undefined : end;
}

/** What a pair of braces without a comma stands for: a range, or itself. */
function withoutChoice(inner: Sequence): Read<Sequence> {
  const [text] = inner;
  if (inner.length !== 1 || typeof text !== 'string' || !text.includes('..')) return ['{', ...inner, '}'];
  const [, one, other] = /^([A-Za-z0-9])\.\.([A-Za-z0-9])$/.exec(text) ?? [];
  if (one === undefined || other === undefined) return { problem: RANGE };
  return [`[${[one, other].sort().join('-')}]`];
}

function readBraces(glob: string): Read<Sequence> {
  const whole: Sequence = [];
  const open: Choice[] = [];
  const current = (): Sequence => open.at(-1)?.alternatives.at(-1) ?? whole;
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob.charAt(at);
    if (character === '[') {
      const end = endOfClass(glob, at);
      if (end === undefined) return { problem: UNBALANCED };
      current().push(glob.slice(at, end + 1));
      at = end;
    } else if (character === '{') open.push({ alternatives: [[]] });
    else if (character === ',' && open.length > 0) open.at(-1)?.alternatives.push([]);
    else if (character === '}') {
      const closed = open.pop();
      if (closed === undefined) return { problem: UNBALANCED };
      const [only = [], second] = closed.alternatives.map(joined);
      const read = second === undefined ? withoutChoice(only) : [closed];
      if ('problem' in read) return read;
      current().push(...read);
    } else if (character === ']') return { problem: UNBALANCED };
    else current().push(character);
  }
  return open.length > 0 ? { problem: UNBALANCED } : joined(whole);
}

/** Joins neighbouring texts of a sequence. */
function joined(sequence: Sequence): Sequence {
  const texts: Sequence = [];
  for (const each of sequence) {
    const last = texts.at(-1);
    if (typeof each === 'string' && typeof last === 'string') texts[texts.length - 1] = last + each;
    else texts.push(each);
  }
  return texts;
}

/** How many globs come of it, or one more than may. */
const countOf = (sequence: Sequence): number =>
  sequence.reduce((count, each) => {
    if (typeof each === 'string') return count;
    const sum = each.alternatives.reduce((total, one) => total + countOf(one), 0);
    return Math.min(count * sum, GLOBS_WRITTEN_OUT_MAX + 1);
  }, 1);

const writtenOut = (sequence: Sequence): string[] =>
  sequence.reduce<string[]>(
    (texts, each) => {
      const next = typeof each === 'string' ? [each] : each.alternatives.flatMap(writtenOut);
      return texts.flatMap((text) => next.map((end) => text + end));
    },
    [''],
  );

/** The classes of characters that have a name, as in `[[:digit:]]`. */
const named: Record<string, string> = {
  alnum: 'a-zA-Z0-9',
  alpha: 'a-zA-Z',
  blank: ' \t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-.:-@[-`{-~',
  space: ' \t\r\n\v\f',
  upper: 'A-Z',
  word: 'A-Za-z0-9_',
  xdigit: 'A-Fa-f0-9',
};

function classOf(inner: string): CharacterClass {
  const isNot = inner.startsWith('^');
  const text = (isNot ? inner.slice(1) : inner).replace(
    /\[:([a-z]{1,8}):\]/g,
    (whole, name: string) => named[name] ?? whole,
  );
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const ranges: [number, number][] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const from = characters[at] ?? 0;
    const to = characters[at + 1] === DASH ? characters[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return { isNot, ranges };
}

const DASH = 0x2d;
/** With any of these between its brackets a class is nothing else; without, it may be a name such as `[slug]`. */
const NOT_IN_NAMES = /[-*+?.^${}[\]]/;

function readPart(part: string): GlobPart {
  if (part === '**') return '**';
  const places = (isName: boolean): GlobPlace[] => {
    const read: GlobPlace[] = [];
    for (let at = 0; at < part.length; ) {
      const character = String.fromCodePoint(part.codePointAt(at) ?? 0);
      const end = character === '[' ? endOfClass(part, at) : undefined;
      const inner = end === undefined ? '' : part.slice(at + 1, end);
      if (end !== undefined && !(isName && !NOT_IN_NAMES.test(inner))) {
        read.push(classOf(inner));
        at = end + 1;
        continue;
      }
      at += character.length;
      if (character === '?') read.push('any');
      else if (character !== '*') read.push(character.codePointAt(0) ?? 0);
      else if (read.at(-1) !== 'star') read.push('star');
    }
    return read;
  };
  return part.includes('[') ? [places(false), places(true)] : [places(false)];
}

// After a part that ends in `*`, a last `**` asks for one part at least: `*/**` is what lies in any folder.
function readParts(text: string): GlobPart[] {
  const parts = text.split('/').map(readPart);
  const last = parts.findLastIndex((part) => part !== '**');
  const before = parts[last];
  const isLoose = last < parts.length - 1 && before?.[0]?.at(-1) === 'star';
  return isLoose ? parts.toSpliced(last + 1, 0, [['star']]) : parts;
}

/** What a glob stands for without its braces; `problem`: it cannot be read, and why. */
export function readGlob(glob: string): Read<{ globs: Glob[] }> {
  const sequence = readBraces(glob);
  if ('problem' in sequence) return sequence;
  if (countOf(sequence) > GLOBS_WRITTEN_OUT_MAX) return { problem: TOO_MANY };
  const globs = writtenOut(sequence).map((text) => ({ text, parts: readParts(text) }));
  return { globs };
}

/** Said of a glob, and of a list of them. */
export const TOO_MANY = `with their braces written out, paths are at most ${GLOBS_WRITTEN_OUT_MAX}`;
