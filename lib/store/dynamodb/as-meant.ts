import { marshall } from '@aws-sdk/util-dynamodb';
import type { Change } from './expressions.ts';
import { storable } from './free-keys.ts';
import type { Item, Write } from './transact.ts';

/**
 * Whether it can be seen in an item that the write was made: what is added up looks the same once and twice.
 */
export function isRecognisable(write: Write): boolean {
  if ('check' in write) return false;
  return !('update' in write) || (write.change !== undefined && write.change.add === undefined);
}

/**
 * Whether an item is as this write leaves it. What it appends (a status with its time) proves that by itself,
 * whatever came later; otherwise everything that it sets or removes must be so.
 */
export function isAsMeant(item: Item | undefined, write: Write): boolean {
  if ('delete' in write) return item === undefined;
  if (item === undefined) return false;
  if ('put' in write) return isStoredAlike(item, write.put);
  const { set = {}, remove = [], append = {} }: Change = 'update' in write ? (write.change ?? {}) : {};
  const appended = Object.entries(append).flatMap(([path, values]) =>
    values.map((value) => [path, value] as const),
  );
  if (appended.length > 0) return appended.every(([path, value]) => holds(at(item, path), value));
  const wanted = Object.entries(set).filter(([, value]) => value !== undefined);
  return (
    wanted.every(([path, value]) => isStoredAlike(at(item, path), value)) &&
    remove.every((path) => at(item, path) === undefined)
  );
}

const holds = (list: unknown, value: unknown): boolean =>
  Array.isArray(list) && list.some((element) => isStoredAlike(element, value));

const at = (item: Item, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      item,
    );

const isStoredAlike = (a: unknown, b: unknown): boolean => storedText(a) === storedText(b);

/** A value as the table keeps it, as a text: without what is undefined, the members of objects in order. */
const storedText = (value: unknown): string =>
  JSON.stringify(marshall({ value: storable(value) }, { removeUndefinedValues: true }), inOrder);

const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
