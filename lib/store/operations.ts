import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { backOff } from 'exponential-backoff';
import type * as z from 'zod';
import { refuse } from '../contract/errors.ts';
import { restored, storable } from './free-keys.ts';
import { type Image, itemOf } from './images.ts';
import { isPossible } from './key-limits.ts';
import type { Key } from './keys.ts';
import type { SortKeyRange } from './sort-key-range.ts';
import type { Table } from './table.ts';

export type Item = Record<string, unknown>;
type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** One write of a transaction, without the table's name; `name` says which one failed. */
export type Write = {
  name: string;
  /** Called when the transaction was made. */
  onWritten?: () => void;
} & (
  | { put: Item; condition?: Condition }
  | { update: Key; expression: string; values?: Item; names?: Record<string, string>; condition?: Condition }
  | { delete: Key; condition?: Condition }
  | { check: Key; condition: Condition }
);

export type Condition = { expression: string; values?: Item; names?: Record<string, string> };

/** A transaction was not made, because of these writes' conditions; `item` is what was found instead (undefined: nothing). */
export class ConditionsFailed extends Error {
  readonly failed: Map<string, Item | undefined>;

  constructor(failed: Map<string, Item | undefined>) {
    super(`conditions failed: ${[...failed.keys()].join(', ')}`);
    this.name = 'ConditionsFailed';
    this.failed = failed;
  }
}

/** The name of the write that keeps the answer to a request that carries an idempotency key. */
export const ANSWER = 'answer';

/** A transaction was not made, because the request it is of has been answered; `item` is that answer. */
export class AlreadyAnswered extends Error {
  readonly item: Item | undefined;

  constructor(item: Item | undefined) {
    super('the request was answered before');
    this.name = 'AlreadyAnswered';
    this.item = item;
  }
}

/** A transaction could not be made, because of another one that keeps the answer to the same request. */
export class AnswerContended extends Error {
  constructor() {
    super('the request is being answered');
    this.name = 'AnswerContended';
  }
}

/** How long conflicts between concurrent writers are retried before the caller hears 503 (contract §2.3). */
const CONFLICT_MILLISECONDS_MAX = 5_000;
/** Full jitter spreads writers that collided; the time above ends it, not the count. */
const conflictBackOff = {
  jitter: 'full',
  startingDelay: 10,
  maxDelay: 250,
  timeMultiple: 2,
  numOfAttempts: 1000,
} as const;
const CONFLICT = 'TransactionConflict';
const RETRIED = new Set([CONFLICT, 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** Reads one item, strongly consistent unless `eventually`. Throws when what is stored does not have the expected shape. */
export async function find<T extends z.ZodType>(
  table: Table,
  key: Key,
  schema: () => T,
  { eventually = false } = {},
): Promise<z.output<T> | undefined> {
  if (!isPossible(key)) return undefined;
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: !eventually }),
  );
  return Item === undefined ? undefined : schema().parse(restored(Item));
}

/** What is looked for, and the shape that it must have. */
export type Wanted<T extends z.ZodType> = readonly [key: Key, schema: () => T];

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
    return item === undefined ? undefined : schema().parse(restored(item));
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
  schema: () => T,
  options: QueryOptions,
): Promise<{ items: z.output<T>[]; lastKey: Key | undefined }> {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({ TableName: table.name, ...queryInput(options) }),
  );
  const parse = schema();
  const last = LastEvaluatedKey;
  return {
    items: Items.map((item) => parse.parse(restored(item))),
    lastKey: last === undefined ? undefined : { pk: String(last.pk), sk: String(last.sk) },
  };
}

/** All pages of a query, item by item; a consumer that stops early reads no further page. */
export async function* queryAll<T extends z.ZodType>(
  table: Table,
  schema: () => T,
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
    TransactItems: writes.map((write) => transactItem(table.name, write)),
  });
  const startedAt = Date.now();
  let meetsAnswer = false;
  await backOff(() => table.client.send(command), {
    ...conflictBackOff,
    retry: (error: unknown) => {
      if (!isConflict(error)) return false;
      meetsAnswer ||= collidesOnAnswer(error, writes);
      if (Date.now() - startedAt > CONFLICT_MILLISECONDS_MAX)
        throw meetsAnswer ? new AnswerContended() : refuse('unavailable', { what: 'The table' });
      return true;
    },
  }).catch((error: unknown) => {
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

const collidesOnAnswer = (error: unknown, writes: Write[]): boolean =>
  error instanceof TransactionCanceledException &&
  (error.CancellationReasons ?? []).some(
    ({ Code }, index) => Code === CONFLICT && writes[index]?.name === ANSWER,
  );

function conditionsOf(error: unknown, writes: Write[]): ConditionsFailed | AlreadyAnswered | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const failed = new Map<string, Item | undefined>();
  for (const [index, reason] of (error.CancellationReasons ?? []).entries()) {
    const write = writes[index];
    if (write === undefined || reason.Code !== 'ConditionalCheckFailed') continue;
    failed.set(write.name, reason.Item === undefined ? undefined : plain(reason.Item));
  }
  if (failed.has(ANSWER)) return new AlreadyAnswered(failed.get(ANSWER));
  return failed.size === 0 ? undefined : new ConditionsFailed(failed);
}

/** The document client leaves the items inside an exception as they came. */
const plain = (image: Image): Item | undefined =>
  Object.keys(image).length === 0 ? undefined : itemOf(image);

/** Attributes as the table can keep them. */
const kept = (attributes: Item): Item => storable(attributes) as Item; // an object of ours stays one

function transactItem(tableName: string, write: Write): TransactItem {
  const TableName = tableName;
  if ('put' in write) return { Put: { TableName, Item: kept(write.put), ...conditionOf(write.condition) } };
  if ('delete' in write) return { Delete: { TableName, Key: write.delete, ...conditionOf(write.condition) } };
  if ('check' in write) {
    const { ConditionExpression, ...rest } = conditionOf(write.condition);
    return {
      ConditionCheck: {
        TableName,
        Key: write.check,
        ConditionExpression: ConditionExpression ?? '',
        ...rest,
      },
    };
  }
  const condition = conditionOf(write.condition);
  const values = { ...write.values, ...write.condition?.values };
  const names = { ...write.names, ...write.condition?.names };
  return {
    Update: {
      TableName,
      Key: write.update,
      UpdateExpression: write.expression,
      ...condition,
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: kept(values) }),
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    },
  };
}

function conditionOf(condition: Condition | undefined): {
  ConditionExpression?: string;
  ExpressionAttributeValues?: Item;
  ExpressionAttributeNames?: Record<string, string>;
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD';
} {
  if (condition === undefined) return {};
  return {
    ConditionExpression: condition.expression,
    ...(condition.values !== undefined && { ExpressionAttributeValues: kept(condition.values) }),
    ...(condition.names !== undefined && { ExpressionAttributeNames: condition.names }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/**
 * Runs a read-decide-write again when another writer was quicker (its conditions failed), with full jitter for up to 5 s; then 503.
 * Conditions that mean more than a lost race must be turned into words before they get here.
 */
export async function retryRaces<T>(attempt: () => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  return backOff(attempt, {
    ...conflictBackOff,
    retry: (error: unknown) => {
      if (!(error instanceof ConditionsFailed)) return false;
      if (Date.now() - startedAt > CONFLICT_MILLISECONDS_MAX)
        throw refuse('unavailable', { what: 'The table' });
      return true;
    },
  });
}
