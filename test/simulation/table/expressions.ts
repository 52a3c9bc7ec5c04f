import { isDeepStrictEqual } from 'node:util';

/*
 * The part of DynamoDB's expressions that lib/store writes. Texts are compiled once; names and values come
 * with each call. A test compares all of this with a real table.
 */

export type Item = Record<string, unknown>;
export type Bindings = { names: Record<string, string>; values: Item };
export type Condition = (item: Item | undefined, at: Bindings) => boolean;

type Path = (string | number)[];

const paths = new Map<string, Path>();

/** The store names each attribute as it is called: `#status` is `status`. */
function pathOf(text: string, { names }: Bindings): Path {
  const known = paths.get(text);
  if (known !== undefined) return known;
  const path = text.split('.').flatMap((part) => {
    const [, name = '', index] = /^([^[]+)(?:\[(\d+)\])?$/.exec(part) ?? [];
    const attribute = name.startsWith('#') ? names[name] : name;
    if (attribute === undefined || attribute !== name.replace('#', ''))
      throw new Error(`${part} in ${text} is named ${attribute}`);
    return index === undefined ? [attribute] : [attribute, Number(index)];
  });
  paths.set(text, path);
  return path;
}

function valueAt(item: unknown, path: Path): unknown {
  let value = item;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && isDeepStrictEqual(a, b));

const TOKEN =
  /attribute_exists|attribute_not_exists|contains|begins_with|\bNOT\b|\bAND\b|\bOR\b|\bIN\b|\bBETWEEN\b|<=|>|=|\(|\)|,|:[A-Za-z0-9_]+|#[^\s,()=<>]+|[a-z_]+/g;

/** Reads a condition by recursive descent: OR, AND, then single tests. */
class Reader {
  readonly #text: string;
  readonly #tokens: string[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(TOKEN) ?? [];
  }

  whole(): Condition {
    const condition = this.#or();
    if (this.#next !== this.#tokens.length) throw this.#problem();
    return condition;
  }

  #problem(): Error {
    return new Error(`cannot read ${this.#text} at ${this.#tokens[this.#next] ?? 'its end'}`);
  }

  #take(wanted?: string): string {
    const token = this.#tokens[this.#next];
    if (token === undefined || (wanted !== undefined && token !== wanted)) throw this.#problem();
    this.#next += 1;
    return token;
  }

  #has(token: string): boolean {
    if (this.#tokens[this.#next] !== token) return false;
    this.#next += 1;
    return true;
  }

  #or(): Condition {
    const tests = [this.#and()];
    while (this.#has('OR')) tests.push(this.#and());
    return tests.length === 1 && tests[0] ? tests[0] : (item, at) => tests.some((test) => test(item, at));
  }

  #and(): Condition {
    const tests = [this.#single()];
    while (this.#has('AND')) tests.push(this.#single());
    return tests.length === 1 && tests[0] ? tests[0] : (item, at) => tests.every((test) => test(item, at));
  }

  #single(): Condition {
    if (this.#has('(')) {
      const inner = this.#or();
      this.#take(')');
      return inner;
    }
    if (this.#has('NOT')) {
      const inner = this.#single();
      return (item, at) => !inner(item, at);
    }
    const word = this.#take();
    if (word === 'attribute_exists' || word === 'attribute_not_exists') return this.#existence(word);
    if (word === 'contains' || word === 'begins_with') return this.#part(word);
    return this.#comparison(word);
  }

  #existence(word: string): Condition {
    this.#take('(');
    const path = this.#take();
    this.#take(')');
    const wanted = word === 'attribute_exists';
    return (item, at) => (valueAt(item, pathOf(path, at)) !== undefined) === wanted;
  }

  #part(word: 'contains' | 'begins_with'): Condition {
    this.#take('(');
    const path = this.#take();
    this.#take(',');
    const value = this.#take();
    this.#take(')');
    return (item, at) => {
      const found = valueAt(item, pathOf(path, at));
      const wanted = at.values[value];
      if (word === 'begins_with') return String(found).startsWith(String(wanted));
      if (found instanceof Set) return found.has(wanted);
      return Array.isArray(found) && found.some((member) => isEqual(member, wanted));
    };
  }

  #comparison(path: string): Condition {
    const operator = this.#take();
    if (operator === 'IN') return this.#membership(path);
    const first = this.#take();
    const test =
      (compare: (found: unknown, at: Bindings) => boolean): Condition =>
      (item, at) => {
        const found = valueAt(item, pathOf(path, at));
        return found !== undefined && compare(found, at);
      };
    if (operator === '=') return test((found, at) => isEqual(found, at.values[first]));
    if (operator === '<=') return test((found, at) => isAtMost(found, at.values[first]));
    if (operator === '>') return test((found, at) => !isAtMost(found, at.values[first]));
    if (operator !== 'BETWEEN') throw this.#problem();
    this.#take('AND');
    const last = this.#take();
    return test((found, at) => isAtMost(at.values[first], found) && isAtMost(found, at.values[last]));
  }

  #membership(path: string): Condition {
    this.#take('(');
    const values = [this.#take()];
    while (this.#has(',')) values.push(this.#take());
    this.#take(')');
    return (item, at) => {
      const found = valueAt(item, pathOf(path, at));
      return found !== undefined && values.some((value) => isEqual(found, at.values[value]));
    };
  }
}

/** Of the same kind and not greater: texts by their letters, numbers by their size. */
const isAtMost = (a: unknown, b: unknown): boolean =>
  (typeof a === 'number' && typeof b === 'number' && a <= b) ||
  (typeof a === 'string' && typeof b === 'string' && a <= b);

const conditions = new Map<string, Condition>();

/** The condition that a text says. */
export function conditionOf(text: string): Condition {
  const known = conditions.get(text);
  if (known !== undefined) return known;
  const read = new Reader(text).whole();
  conditions.set(text, read);
  return read;
}

export { isEqual, type Path, pathOf, valueAt };
