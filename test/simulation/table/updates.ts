import { type Bindings, type Item, type Path, pathOf, valueAt } from './expressions.ts';

type Edit = (item: Item, before: Item, at: Bindings) => void;
type Container = Record<string | number, unknown>;

/** What DynamoDB answers when something is to be set in an object that is not there. */
class ValidationException extends Error {
  override name = 'ValidationException';
}

/** A copy of each object on the way, for items never change in place. */
function containerOf(item: Item, path: Path): Container | undefined {
  let container: Container = item;
  for (const step of path.slice(0, -1)) {
    const inner = container[step];
    if (typeof inner !== 'object' || inner === null) return undefined;
    const copy: Container = Array.isArray(inner) ? ([...(inner as unknown[])] as never) : { ...inner };
    container[step] = copy;
    container = copy;
  }
  return container;
}

function setAt(item: Item, path: Path, value: unknown): void {
  const container = containerOf(item, path);
  const last = path.at(-1);
  if (container === undefined || last === undefined)
    throw new ValidationException(
      'The document path provided in the update expression is invalid for update',
    );
  container[last] = value;
}

function removeAt(item: Item, path: Path): void {
  const container = containerOf(item, path);
  const last = path.at(-1);
  if (container === undefined || last === undefined) return;
  if (Array.isArray(container)) container.splice(Number(last), 1);
  else delete container[last];
}

/** Parts that commas divide, but for those within brackets. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let current = '';
  for (const letter of text) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === ',' && depth === 0) {
      parts.push(current.trim());
      current = '';
    } else current += letter;
  }
  return [...parts, current.trim()];
}

function setting(text: string): Edit {
  const [, path = '', value = ''] = /^(\S+) = (.*)$/.exec(text) ?? [];
  const [, list, more] = /^list_append\((\S+), (\S+)\)$/.exec(value) ?? [];
  if (list === undefined || more === undefined)
    return (item, _, at) => setAt(item, pathOf(path, at), at.values[value]);
  return (item, before, at) => {
    const there = valueAt(before, pathOf(list, at)) as unknown[];
    setAt(item, pathOf(path, at), [...there, ...(at.values[more] as unknown[])]);
  };
}

function adding(text: string): Edit {
  const [path = '', name = ''] = text.split(' ');
  return (item, before, at) => {
    const was = valueAt(before, pathOf(path, at));
    const by = at.values[name];
    const sum =
      by instanceof Set ? new Set([...((was as Set<unknown>) ?? []), ...by]) : Number(was ?? 0) + Number(by);
    setAt(item, pathOf(path, at), sum);
  };
}

const updates = new Map<string, Edit[]>();

function editsOf(text: string): Edit[] {
  const known = updates.get(text);
  if (known !== undefined) return known;
  const [, sets, removes, adds] = /^(?:SET (.*?))?\s*(?:REMOVE (.*?))?\s*(?:ADD (.*?))?$/.exec(text) ?? [];
  const listed = (clause: string | undefined) => (clause === undefined ? [] : partsOf(clause));
  const edits = [
    ...listed(sets).map(setting),
    ...listed(removes).map(
      (path): Edit =>
        (item, _, at) =>
          removeAt(item, pathOf(path, at)),
    ),
    ...listed(adds).map(adding),
  ];
  updates.set(text, edits);
  return edits;
}

/** An item as an update leaves it; what was there stays as it was. */
export function updated(before: Item | undefined, key: Item, text: string, at: Bindings): Item {
  const after = before === undefined ? { ...key } : { ...before };
  for (const edit of editsOf(text)) edit(after, before ?? {}, at);
  return after;
}
