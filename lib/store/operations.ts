import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import { refuse } from '../contract/errors.ts';
import type { Change } from './expressions.ts';
import { isPossible } from './key-limits.ts';
import type { Key } from './keys.ts';
import { patienceOf, trySoonAgain } from './patience.ts';
import { readItem } from './read-item.ts';
import type { SortKeyRange } from './sort-key-range.ts';
import { type Image, itemOf } from './stream-images.ts';
import type { Table } from './table.ts';
import { transactItem } from './transact-item.ts';

export type Item = Record<string, unknown>;

declare const madeHere: unique symbol;

/** One write, alone or of a transaction; `name` says which one failed. Only the makers in `expressions.ts` make one. */
export type Write = WriteSpec & { readonly [madeHere]: true };

/** What a write says, without the table's name. */
export type WriteSpec = {
  name: string;
  /** Called when it was made. */
  onWritten?: () => void;
} & (
  | { put: Item; condition?: Condition }
  | {
      update: Key;
      expression: string;
      /** What the expression says. */
      change?: Change;
      values?: Item;
      names?: Record<string, string>;
      condition?: Condition;
    }
  | { delete: Key; condition?: Condition }
  | { check: Key; condition: Condition }
);

export type Condition = {
  expression: string;
  values?: Item;
  names?: Record<string, string>;
  /** What the expression joins, with the names of those that have one. */
  parts?: readonly { guard: string | undefined; expression: string }[];
};

/** Nothing was written, because of these writes' conditions; `item` is what was found instead (undefined: nothing). */
export class ConditionsFailed extends Error {
  readonly failed: Map<string, Item | undefined>;

  constructor(failed: Map<string, Item | undefined>) {
    super(`conditions failed: ${[...failed.keys()].join(', ')}`);
    this.name = 'ConditionsFailed';
    this.failed = failed;
  }
}

/** The name of the write that keeps the answer to a request that carries an idempotency key. */
export const IDEMPOTENCY_RECORD = 'answer';

/** A transaction was not made, because the request it is of has been answered; `item` is that answer. */
export class AlreadyRecorded extends Error {
  readonly item: Item | undefined;

  constructor(item: Item | undefined) {
    super('the request was answered before');
    this.name = 'AlreadyAnswered';
    this.item = item;
  }
}

/** A transaction could not be made, because of another one that keeps the answer to the same request. */
export class RecordContended extends Error {
  constructor() {
    super('the request is being answered');
    this.name = 'AnswerContended';
  }
}

const CONFLICT = 'TransactionConflict';
const RETRIED = new Set([CONFLICT, 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Reads one item, strongly consistent unless `eventually`. Throws when what is stored does not have the expected shape. */
export async function find<T extends z.ZodType>(
  table: Table,
  key: Key,
  schema: T,
  { eventually = false } = {},
): Promise<z.output<T> | undefined> {
  if (!isPossible(key)) return undefined;
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: !eventually }),
  );
  return Item === undefined ? undefined : readItem(schema, Item);
}

/** What is looked for, and the shape that it must have. */
export type Wanted<T extends z.ZodType> = readonly [key: Key, schema: T];

/** Reads two items in one request, each strongly consistent by itself, at the price of two. Throws as `find` does. */
export async function findBoth<A extends z.ZodType, B extends z.ZodType>(
  table: Table,
  first: Wanted<A>,
  second: Wanted<B>,
): Promise<[z.output<A> | undefined, z.output<B> | undefined]> {
  const Keys = [first[0], second[0]];
  const { Responses, UnprocessedKeys } = await table.client.send(
    new BatchGetCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: true } } }),
  );
  const unread = UnprocessedKeys?.[table.name]?.Keys ?? [];
  const isAt = (key: Key) => (item: Item) => item.pk === key.pk && item.sk === key.sk;
  const pick = async <T extends z.ZodType>([key, schema]: Wanted<T>): Promise<z.output<T> | undefined> => {
    // What the table was too busy for is asked alone, and so with the client's patience.
    if (unread.some(isAt(key))) return find(table, key, schema);
    const item = Responses?.[table.name]?.find(isAt(key));
    return item === undefined ? undefined : readItem(schema, item);
  };
  return Promise.all([pick(first), pick(second)]);
}

export type QueryOptions = {
  pk: string;
  /** Sort keys between two, both included; `startingWith` makes the pair of a prefix. */
  between?: SortKeyRange;
  newestFirst?: boolean;
  limit?: number;
  startAfter?: Key;
  /** Eventually consistent, at half the price: only for what comes late anyway. */
  eventually?: true;
};

/** One page of a query, strongly consistent unless `eventually`. */
export async function queryPage<T extends z.ZodType>(
  table: Table,
  schema: T,
  options: QueryOptions,
): Promise<{ items: z.output<T>[]; lastKey: Key | undefined }> {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({ TableName: table.name, ...queryInput(options) }),
  );
  const last = LastEvaluatedKey;
  return {
    items: Items.map((item) => readItem(schema, item)),
    lastKey: last === undefined ? undefined : { pk: String(last.pk), sk: String(last.sk) },
  };
}

/** All pages of a query, item by item; a consumer that stops early reads no further page. */
export async function* queryAll<T extends z.ZodType>(
  table: Table,
  schema: T,
  options: QueryOptions,
): AsyncGenerator<z.output<T>> {
  let startAfter = options.startAfter;
  do {
    const page = await queryPage(table, schema, { ...options, ...(startAfter && { startAfter }) });
    yield* page.items;
    startAfter = page.lastKey;
  } while (startAfter !== undefined);
}

function queryInput(options: QueryOptions): Omit<QueryCommandInput, 'TableName'> {
  const { between } = options;
  return {
    KeyConditionExpression: between === undefined ? 'pk = :pk' : 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': options.pk,
      ...(between !== undefined && { ':from': between[0], ':to': between[1] }),
    },
    ConsistentRead: options.eventually !== true,
    ScanIndexForward: options.newestFirst !== true,
    ...(options.limit !== undefined && { Limit: options.limit }),
    ...(options.startAfter !== undefined && { ExclusiveStartKey: options.startAfter }),
  };
}

/**
 * Makes all the writes or none. Conflicts with other writers are retried with full jitter for up to 5 s, then 503, or
 * AnswerContended. Throws ConditionsFailed when a condition does not hold, and before it AlreadyAnswered.
 */
export async function transact(table: Table, writes: Write[]): Promise<void> {
  const command = new TransactWriteCommand({
    // One for all tries: a try whose answer was lost may have been made, and must not be made again.
    ClientRequestToken: patienceOf(table).newRequestToken(),
    TransactItems: writes.map((write) => transactItem(table, write)),
  });
  let meetsRecord = false;
  const isPassing = (error: unknown): boolean => {
    meetsRecord ||= collidesOnRecord(error, writes);
    return isConflict(error);
  };
  const tooLate = () => (meetsRecord ? new RecordContended() : refuse('unavailable', { what: 'The table' }));
  const made = trySoonAgain(table, () => table.client.send(command), isPassing, tooLate);
  await made.catch((error: unknown) => {
    throw conditionsOf(error, writes) ?? error;
  });
  for (const { onWritten } of writes) onWritten?.();
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) {
    const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? 'None');
    return !codes.includes('ConditionalCheckFailed') && codes.some((code) => RETRIED.has(code));
  }
  return error instanceof Error && error.name === 'TransactionInProgressException';
}

const collidesOnRecord = (error: unknown, writes: Write[]): boolean =>
  error instanceof TransactionCanceledException &&
  (error.CancellationReasons ?? []).some(
    ({ Code }, index) => Code === CONFLICT && writes[index]?.name === IDEMPOTENCY_RECORD,
  );

function conditionsOf(error: unknown, writes: Write[]): ConditionsFailed | AlreadyRecorded | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const failed = new Map<string, Item | undefined>();
  for (const [index, reason] of (error.CancellationReasons ?? []).entries()) {
    const write = writes[index];
    if (write === undefined || reason.Code !== 'ConditionalCheckFailed') continue;
    failed.set(write.name, plain(reason.Item));
  }
  if (failed.has(IDEMPOTENCY_RECORD)) return new AlreadyRecorded(failed.get(IDEMPOTENCY_RECORD));
  return failed.size === 0 ? undefined : new ConditionsFailed(failed);
}

/** The document client leaves the items inside an exception as they came. */
export const plain = (image: Image | undefined): Item | undefined =>
  image === undefined || Object.keys(image).length === 0 ? undefined : itemOf(image);

/**
 * Runs a read-decide-write again when another writer was quicker (its conditions failed), with full jitter for up to 5 s; then 503.
 * Conditions that mean more than a lost race must be turned into words before they get here.
 */
export const retryRaces = <T>(table: Table, attempt: () => Promise<T>): Promise<T> =>
  trySoonAgain(
    table,
    attempt,
    (error) => error instanceof ConditionsFailed,
    () => refuse('unavailable', { what: 'The table' }),
  );
