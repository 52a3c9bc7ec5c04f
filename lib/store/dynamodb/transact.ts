import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { refuse } from '../../contract/errors.ts';
import type { Key } from '../keys/index.ts';
import { type Image, itemOf } from '../stream-images.ts';
import type { Table } from '../table.ts';
import type { Change } from './expressions.ts';
import { patienceOf, trySoonAgain } from './patience.ts';
import { transactItem } from './transact-item.ts';

export type Item = Record<string, unknown>;

declare const madeHere: unique symbol;

/**
 * One write, alone or of a transaction; `name` says which one failed. Only the makers in `expressions.ts`
 * make one.
 */
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

/**
 * Nothing was written, because of these writes' conditions; `item` is what was found instead (undefined:
 * nothing).
 */
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
    this.name = 'AlreadyRecorded';
    this.item = item;
  }
}

/** The transaction lost against another one that records the response to the same request. */
export class RecordContended extends Error {
  constructor() {
    super('the request is being answered');
    this.name = 'RecordContended';
  }
}

const CONFLICT = 'TransactionConflict';
const RETRIED = new Set([CONFLICT, 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Makes all the writes or none. Conflicts with other writers are retried with full jitter for up to 5 s, then
 * 503, or RecordContended. Throws ConditionsFailed when a condition does not hold, and before it
 * AlreadyRecorded.
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
    failed.set(write.name, itemOfImage(reason.Item));
  }
  if (failed.has(IDEMPOTENCY_RECORD)) return new AlreadyRecorded(failed.get(IDEMPOTENCY_RECORD));
  return failed.size === 0 ? undefined : new ConditionsFailed(failed);
}

/** The document client leaves the items inside an exception as they came. */
export const itemOfImage = (image: Image | undefined): Item | undefined =>
  image === undefined || Object.keys(image).length === 0 ? undefined : itemOf(image);

/** An attempt that asks a git host may take 5 s by itself: nobody gives up after the first. */
const RACES_MIN = 4;

/**
 * Runs a read-decide-write again when another writer was quicker (its conditions failed), with full jitter
 * for up to 5 s, and four times at least; then 503. Conditions that mean more than a lost race must be turned
 * into words before they get here.
 */
export const retryRaces = <T>(table: Table, attempt: () => Promise<T>): Promise<T> =>
  trySoonAgain(
    table,
    attempt,
    (error) => error instanceof ConditionsFailed,
    () => refuse('unavailable', { what: 'The table' }),
    RACES_MIN,
  );
