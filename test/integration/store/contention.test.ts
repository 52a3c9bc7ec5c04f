import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../lib/contract/errors.ts';
import { documentClient } from '../../../lib/embedded/dynoxide/client.ts';
import { put } from '../../../lib/store/dynamodb/expressions.ts';
import { ConditionsFailed, retryRaces, transact } from '../../../lib/store/dynamodb/transact.ts';
import type { Table } from '../../../lib/store/table.ts';

const write = put('one', { pk: 'a', sk: 'A' });

/** A table whose every write is answered by `answer`, which may throw; no request leaves the process. */
function injected(answer: () => void): { table: Table; calls: number[] } {
  const client = documentClient('http://127.0.0.1:9');
  const calls: number[] = [];
  client.middlewareStack.add(
    () => async () => {
      calls.push(Date.now());
      answer();
      return { output: { $metadata: {} }, response: {} };
    },
    { step: 'initialize', priority: 'high', name: 'injected' },
  );
  return { table: { client, name: 'injected' }, calls };
}

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'cancelled',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs `request` while the clock goes on, and gives how it ended. */
async function settled(request: Promise<unknown>): Promise<unknown> {
  const outcome = request.then(
    () => 'done',
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(20_000);
  return outcome;
}

describe('a transaction that collides with another', () => {
  it.each([
    ['TransactionConflict', () => cancelled('None', 'TransactionConflict')],
    ['ThrottlingError', () => cancelled('ThrottlingError')],
    ['ProvisionedThroughputExceeded', () => cancelled('ProvisionedThroughputExceeded', 'None')],
    ['TransactionInProgress', () => new TransactionInProgressException({ message: 'busy', $metadata: {} })],
  ])('is made again until it succeeds: %s', async (_, error) => {
    let left = 12;
    const { table, calls } = injected(() => {
      if (left-- > 0) throw error();
    });
    expect(await settled(transact(table, [write]))).toBe('done');
    expect(calls).toHaveLength(13);
  });

  it('is given up after 5 s: 503 with Retry-After', async () => {
    const { table, calls } = injected(() => {
      throw cancelled('TransactionConflict');
    });
    const error = await settled(transact(table, [write]));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } });
    const lasted = (calls.at(-1) ?? 0) - (calls[0] ?? 0);
    expect(lasted).toBeGreaterThan(4_500);
    expect(lasted).toBeLessThan(5_300);
    expect(calls.length).toBeGreaterThan(20);
  });

  it('waits differently long each time, so that those that collided do not meet again', async () => {
    const { table, calls } = injected(() => {
      throw cancelled('TransactionConflict');
    });
    await settled(transact(table, [write]));
    const waits = calls.slice(1).map((at, index) => at - (calls[index] ?? 0));
    expect(Math.max(...waits)).toBeLessThanOrEqual(250);
    expect(new Set(waits).size).toBeGreaterThan(5);
  });
});

describe('a transaction whose condition fails', () => {
  it('is not made again, also when it collided as well', async () => {
    const { table, calls } = injected(() => {
      throw cancelled('ConditionalCheckFailed', 'TransactionConflict');
    });
    const error = await settled(transact(table, [write, put('two', { pk: 'b', sk: 'A' })]));
    expect(error).toBeInstanceOf(ConditionsFailed);
    expect(error).toMatchObject({ failed: new Map([['one', undefined]]) });
    expect(calls).toHaveLength(1);
  });

  it('nor after an error of another kind', async () => {
    const { table, calls } = injected(() => {
      throw cancelled('ValidationError');
    });
    expect(await settled(transact(table, [write]))).toBeInstanceOf(TransactionCanceledException);
    expect(calls).toHaveLength(1);
  });
});

describe('a decision that loses its race', () => {
  it('is made again on what the winner wrote', async () => {
    let attempts = 0;
    const request = retryRaces(injected(() => undefined).table, async () => {
      attempts += 1;
      if (attempts < 30) throw new ConditionsFailed(new Map());
    });
    expect(await settled(request)).toBe('done');
    expect(attempts).toBe(30);
  });

  it('is given up after 5 s: 503', async () => {
    const request = retryRaces(injected(() => undefined).table, async () => {
      throw new ConditionsFailed(new Map());
    });
    expect(await settled(request)).toMatchObject({ status: 503 });
  });

  it('is not made again for a refusal', async () => {
    let attempts = 0;
    const request = retryRaces(injected(() => undefined).table, async () => {
      attempts += 1;
      throw new Error('no');
    });
    expect(await settled(request)).toMatchObject({ message: 'no' });
    expect(attempts).toBe(1);
  });
});
