import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { refuse } from '../../contract/errors.ts';
import type { Table } from '../table.ts';
import type { Change } from './expressions.ts';
import { storable } from './free-keys.ts';
import { trySoonAgain } from './patience.ts';
import { ConditionsFailed, type Item, itemOfImage, transact, type Write } from './transact.ts';
import { transactItem } from './transact-item.ts';

/** A transaction has the item, or the table has more to do than it can: nothing was written. */
const PASSING = new Set([
  'TransactionConflictException',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);

/**
 * Makes one write, at half the price of a transaction. Conflicts are retried with full jitter for up to 5 s,
 * then 503. Throws ConditionsFailed when its condition does not hold.
 *
 * The client sends again what got no answer, and the first try may have been made: then its condition does
 * not hold any more, and what is found is compared with what was meant. What could not be recognised there is
 * made as a transaction, which has a token for all tries.
 */
export async function write(table: Table, meant: Write): Promise<void> {
  if (!isRecognisable(meant)) return transact(table, [meant]);
  let sentAgain = false;
  const isPassing = (error: unknown): boolean => {
    sentAgain ||= attemptsOf(error) > 1;
    return error instanceof Error && PASSING.has(error.name);
  };
  try {
    const tooLate = () => refuse('unavailable', { what: 'The table' });
    await trySoonAgain(table, () => send(table, meant), isPassing, tooLate);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const found = itemOfImage(error.Item);
    const isOurs = sentAgain && isAsMeant(found, meant);
    if (!isOurs) throw new ConditionsFailed(new Map([[meant.name, found]]));
  }
  meant.onWritten?.();
}

/** Makes all the writes or none, one alone without a transaction. */
export function writeAll(table: Table, writes: Write[]): Promise<void> {
  const [first] = writes;
  return first !== undefined && writes.length === 1 ? write(table, first) : transact(table, writes);
}

async function send(table: Table, meant: Write): Promise<void> {
  const { Put, Update, Delete } = transactItem(table, meant);
  if (Put !== undefined) await table.client.send(new PutCommand(Put));
  if (Update !== undefined) await table.client.send(new UpdateCommand(Update));
  if (Delete !== undefined) await table.client.send(new DeleteCommand(Delete));
}

/** How often the client sent what failed so in the end. */
function attemptsOf(error: unknown): number {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK's errors have it, and it is optional here
  const { $metadata } = error as { $metadata?: { attempts?: number } };
  return $metadata?.attempts ?? 1;
}

/**
 * Whether it can be seen in an item that the write was made: what is added up looks the same once and twice.
 */
function isRecognisable(meant: Write): boolean {
  if ('check' in meant) return false;
  return !('update' in meant) || (meant.change !== undefined && meant.change.add === undefined);
}

/**
 * Whether an item is as this write leaves it. What it appends (a status with its time) proves that by itself,
 * whatever came later; otherwise everything that it sets or removes must be so.
 */
function isAsMeant(item: Item | undefined, meant: Write): boolean {
  if ('delete' in meant) return item === undefined;
  if (item === undefined) return false;
  if ('put' in meant) return isStoredAlike(item, meant.put);
  const { set = {}, remove = [], append = {} }: Change = 'update' in meant ? (meant.change ?? {}) : {};
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
