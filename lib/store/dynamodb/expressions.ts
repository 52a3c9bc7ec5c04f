import type { Key } from '../keys/index.ts';
import type { Item, Write, WriteSpec } from './transact.ts';

/**
 * A condition as a tree; `compile` gives its text. Paths are dotted attribute names (`slot.revision_id`,
 * `queued[0]`).
 */
export type Test = { guard?: string } & (
  | { kind: 'equals' | 'at_most' | 'above' | 'contains' | 'lacks'; path: string; value: unknown }
  | { kind: 'fewer'; path: string; than: number }
  | { kind: 'present' | 'absent'; path: string }
  | { kind: 'one_of'; path: string; values: readonly unknown[] }
  | { kind: 'any' | 'all'; tests: Test[] }
);

export const equals = (path: string, value: unknown): Test => ({ kind: 'equals', path, value });
export const atMost = (path: string, value: number): Test => ({ kind: 'at_most', path, value });
/** There, and greater. */
export const above = (path: string, value: number): Test => ({ kind: 'above', path, value });
export const present = (path: string): Test => ({ kind: 'present', path });
export const absent = (path: string): Test => ({ kind: 'absent', path });
export const oneOf = (path: string, values: readonly unknown[]): Test => ({ kind: 'one_of', path, values });
/** A list with this element. */
export const contains = (path: string, value: unknown): Test => ({ kind: 'contains', path, value });
/** A list without this element, or no list. */
export const lacks = (path: string, value: unknown): Test => ({ kind: 'lacks', path, value });
/** A map or list with fewer entries. */
export const fewer = (path: string, than: number): Test => ({ kind: 'fewer', path, than });
export const any = (...tests: Test[]): Test => ({ kind: 'any', tests });
export const all = (...tests: Test[]): Test => ({ kind: 'all', tests });

/**
 * Names what a test keeps from happening, as `group: what holds`. A simulation leaves guards out, one by one
 * and in groups, and must notice; nothing else reads the name.
 */
export const guard = (name: `${string}: ${string}`, test: Test): Test => ({ ...test, guard: name });

/** Demands that the attribute has this value, or is absent where the value is undefined. */
export const same = (path: string, value: unknown): Test =>
  value === undefined ? absent(path) : equals(path, value);

export type Change = {
  /** Attributes to set; undefined ones are left alone. */
  set?: Item;
  remove?: string[];
  /** Elements to append to lists that exist. */
  append?: Record<string, unknown[]>;
  /** To numbers that are added up, or sets that elements join; made where there are none. */
  add?: Record<string, number | Set<number>>;
};

class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Item = {};

  path(dotted: string): string {
    return dotted
      .split('.')
      .map((part) => {
        const [, name = part, index = ''] = /^([^[]+)(\[\d+\])?$/.exec(part) ?? [];
        this.names[`#${name}`] = name;
        return `#${name}${index}`;
      })
      .join('.');
  }

  value(value: unknown): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }
}

function text(test: Test, at: Placeholders): string {
  switch (test.kind) {
    case 'equals':
      return `${at.path(test.path)} = ${at.value(test.value)}`;
    case 'at_most':
      return `${at.path(test.path)} <= ${at.value(test.value)}`;
    case 'above':
      return `${at.path(test.path)} > ${at.value(test.value)}`;
    case 'contains':
      return `contains(${at.path(test.path)}, ${at.value(test.value)})`;
    case 'lacks':
      return `NOT contains(${at.path(test.path)}, ${at.value(test.value)})`;
    case 'fewer':
      return `size(${at.path(test.path)}) < ${at.value(test.than)}`;
    case 'present':
      return `attribute_exists(${at.path(test.path)})`;
    case 'absent':
      return `attribute_not_exists(${at.path(test.path)})`;
    case 'one_of':
      return `${at.path(test.path)} IN (${test.values.map((value) => at.value(value)).join(', ')})`;
    case 'any':
      return `(${test.tests.map((inner) => text(inner, at)).join(' OR ')})`;
    case 'all':
      return `(${test.tests.map((inner) => text(inner, at)).join(' AND ')})`;
  }
}

function compile(at: Placeholders, tests: Test[]) {
  const parts = tests.map((test) => ({ guard: test.guard, expression: text(test, at) }));
  return { expression: parts.map(({ expression }) => expression).join(' AND '), parts };
}

const parts = (at: Placeholders) => ({
  ...(Object.keys(at.names).length > 0 && { names: at.names }),
  ...(Object.keys(at.values).length > 0 && { values: at.values }),
});

/** The one place where a write is made: whoever else wants one has to name what it is for. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where a write is made
const made = (spec: WriteSpec): Write => spec as Write;

/** An update of one item, made only when every test holds (an update without tests creates the item). */
export function update(name: string, key: Key, change: Change, ...when: Test[]): Write {
  const at = new Placeholders();
  const sets = [
    ...Object.entries(change.set ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([path, value]) => `${at.path(path)} = ${at.value(value)}`),
    ...Object.entries(change.append ?? {}).map(
      ([path, values]) => `${at.path(path)} = list_append(${at.path(path)}, ${at.value(values)})`,
    ),
  ];
  const removes = (change.remove ?? []).map((path) => at.path(path));
  const adds = Object.entries(change.add ?? {}).map(([path, by]) => `${at.path(path)} ${at.value(by)}`);
  const expression = [
    sets.length > 0 ? `SET ${sets.join(', ')}` : '',
    removes.length > 0 ? `REMOVE ${removes.join(', ')}` : '',
    adds.length > 0 ? `ADD ${adds.join(', ')}` : '',
  ]
    .filter((clause) => clause !== '')
    .join(' ');
  const condition = when.length > 0 ? { condition: compile(at, when) } : {};
  return made({ name, update: key, expression, change, ...condition, ...parts(at) });
}

/** A put, made only when every test holds of what is there now. */
export function put(name: string, item: Item, ...when: Test[]): Write {
  if (when.length === 0) return made({ name, put: item });
  const at = new Placeholders();
  return made({ name, put: item, condition: { ...compile(at, when), ...parts(at) } });
}

/** A put of what is not there yet. */
export const putNew = (name: string, item: Item): Write =>
  put(name, item, guard('creation: not there yet', absent('pk')));

export function remove(name: string, key: Key, ...when: Test[]): Write {
  if (when.length === 0) return made({ name, delete: key });
  const at = new Placeholders();
  return made({ name, delete: key, condition: { ...compile(at, when), ...parts(at) } });
}

/** Writes nothing; the transaction is made only when every test holds of this item. */
export function check(name: string, key: Key, ...when: Test[]): Write {
  const at = new Placeholders();
  return made({ name, check: key, condition: { ...compile(at, when), ...parts(at) } });
}
