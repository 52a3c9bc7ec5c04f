/** A variable of a `.env` file, and on which line (from 1) it begins. */
export type EnvEntry = {
  line: number;
  name: string;
  value: string;
  /** Something that its writer may not have meant; undefined: nothing. */
  note: string | undefined;
};

/** A line that sets no variable. */
export type EnvProblem = { line: number; why: string };

export type EnvFile = { entries: EnvEntry[]; problems: EnvProblem[] };

/** What a deployment's secrets may have together, four times: quotes and comments count for nothing there. */
const LENGTH_MAX = 256 * 1024;
/** More than one look takes in. */
const PROBLEMS_MAX = 20;
const QUOTES = ['"', "'", '`'] as const;
const NAME = /^[^\s=]+$/;

/**
 * Reads the text of a `.env` file as Node and the command line do: `NAME=value`, `export` before it, quotes
 * of three kinds, in which a value may have several lines, and comments. A later line of the same name wins.
 * Takes time linear in the text, of which it reads the first 256 KiB.
 */
export function readEnv(text: string): EnvFile {
  const reader = new Reader(text.slice(0, LENGTH_MAX).replaceAll('\r\n', '\n').replaceAll('\r', '\n'));
  const entries = new Map<string, EnvEntry>();
  const problems: EnvProblem[] = [];
  if (text.length > LENGTH_MAX)
    problems.push({ line: 1, why: 'The text is longer than 256 KiB; what comes after that was not read.' });
  for (let read = reader.next(); read !== undefined; read = reader.next()) {
    if ('why' in read) {
      if (problems.length < PROBLEMS_MAX) problems.push(read);
      continue;
    }
    const before = entries.get(read.name);
    entries.delete(read.name);
    entries.set(
      read.name,
      before === undefined ? read : { ...read, note: `It replaces the one of line ${before.line}.` },
    );
  }
  return { entries: [...entries.values()], problems };
}

/** Reads one line after the other; a value in quotes may take several. */
class Reader {
  #at = 0;
  #line = 0;
  readonly #text: string;
  /** Quotes that do not come again: they are not looked for twice. */
  readonly #over = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  next(): EnvEntry | EnvProblem | undefined {
    while (this.#at < this.#text.length) {
      const begins = this.#at;
      const ends = this.#endOf(begins);
      const line = this.#text.slice(begins, ends).trim();
      this.#at = ends + 1;
      this.#line += 1;
      if (line !== '' && !line.startsWith('#')) return this.#read(line, begins, ends);
    }
    return undefined;
  }

  #endOf(from: number): number {
    const found = this.#text.indexOf('\n', from);
    return found === -1 ? this.#text.length : found;
  }

  #read(line: string, begins: number, ends: number): EnvEntry | EnvProblem {
    const at = this.#line;
    const equals = line.indexOf('=');
    if (equals === -1) return { line: at, why: 'It has no “=” between a name and a value.' };
    const name = line
      .slice(0, equals)
      .replace(/^export\s+/, '')
      .trim();
    if (name === '') return { line: at, why: 'There is no name before the “=”.' };
    if (!NAME.test(name)) return { line: at, why: 'A name has no spaces.' };
    const rest = line.slice(equals + 1).trim();
    const quote = QUOTES.find((each) => rest.startsWith(each));
    const opens = this.#text.indexOf('=', begins) + 1;
    const quoted =
      quote === undefined ? undefined : this.#quoted(quote, this.#text.indexOf(quote, opens), ends);
    const found = quoted ?? plain(rest, quote);
    return { line: at, name, ...found };
  }

  /** A value in quotes, and the lines that it takes; undefined: the quote is never closed. */
  #quoted(quote: string, opens: number, ends: number): Pick<EnvEntry, 'value' | 'note'> | undefined {
    if (this.#over.has(quote)) return undefined;
    const closes = this.#text.indexOf(quote, opens + 1);
    if (closes === -1) {
      this.#over.add(quote);
      return undefined;
    }
    const inside = this.#text.slice(opens + 1, closes);
    const lines = inside.split('\n').length;
    if (closes > ends) {
      this.#at = this.#endOf(closes) + 1;
      this.#line += lines - 1;
    }
    const value = quote === '"' ? inside.replaceAll('\\n', '\n') : inside;
    const after = this.#text.slice(closes + 1, this.#endOf(closes)).trim();
    if (after !== '' && !after.startsWith('#'))
      return { value, note: 'What stands after the closing quote is left out.' };
    return { value, note: lines > 1 ? `It has ${lines} lines.` : undefined };
  }
}

function plain(rest: string, quote: string | undefined): Pick<EnvEntry, 'value' | 'note'> {
  if (quote !== undefined)
    return { value: rest, note: `Its ${quote} is never closed, and so is part of the value.` };
  const hash = rest.indexOf('#');
  const value = (hash === -1 ? rest : rest.slice(0, hash)).trim();
  // A space before it says that a comment was meant.
  const isCut = hash > 0 && !/\s/.test(rest.charAt(hash - 1));
  return {
    value,
    note: isCut ? 'It ends before the “#”. Put quotes around the whole value to keep the rest.' : undefined,
  };
}
