import { setTimeout as delay } from 'node:timers/promises';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';

/** A Lambda function behind a stream trigger with ReportBatchItemFailures. */
export type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse | undefined>;

/** As the trigger on AWS is configured: then a poison record must not hold up everything behind it. */
const ATTEMPTS_MAX = 5;
/** A lost race or a database that restarts is over by then; sweep covers what is dropped. */
const RETRY_MILLISECONDS = 100;

export type Failure = { records: readonly DynamoDBRecord[]; error: unknown };

/**
 * Calls the handler until all records are handled. What it reports or throws is tried again in halves, five
 * times in all; then it goes to `drop`. Throws the signal's reason when it aborts.
 */
export async function deliverRecords(
  handler: StreamHandler,
  records: readonly DynamoDBRecord[],
  drop: (failure: Failure) => Promise<void>,
  signal: AbortSignal,
  attempt = 1,
): Promise<void> {
  signal.throwIfAborted();
  const failure = await call(handler, records);
  if (failure === undefined) return;
  signal.throwIfAborted();
  if (attempt >= ATTEMPTS_MAX) return drop(failure);
  await delay(RETRY_MILLISECONDS * 2 ** (attempt - 1), undefined, { signal });
  const half = Math.ceil(failure.records.length / 2);
  for (const part of [failure.records.slice(0, half), failure.records.slice(half)]) {
    if (part.length > 0) await deliverRecords(handler, part, drop, signal, attempt + 1);
  }
}

/**
 * What of the records is not handled: everything from the first that the handler reported, or all when it
 * threw.
 */
async function call(
  handler: StreamHandler,
  records: readonly DynamoDBRecord[],
): Promise<Failure | undefined> {
  try {
    const answer = await handler({ Records: [...records] });
    const reported = new Set((answer?.batchItemFailures ?? []).map((failure) => failure.itemIdentifier));
    if (reported.size === 0) return undefined;
    const first = records.findIndex(({ dynamodb }) => {
      const number = dynamodb?.SequenceNumber;
      return number !== undefined && reported.has(number);
    });
    // An identifier that is not of this batch fails the batch, as it does on AWS.
    return { records: records.slice(Math.max(0, first)), error: new Error('reported by the handler') };
  } catch (error) {
    return { records, error };
  }
}
