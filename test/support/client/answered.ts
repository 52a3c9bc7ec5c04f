import { expect, vi } from 'vitest';
import { createClient } from '../../../lib/client/client.ts';
import { Refusal } from '../../../lib/client/refusal.ts';
import type { ClientOptions } from '../../../lib/client/request.ts';

type Sent = { address: string; method: string | undefined; headers: Headers; body: unknown };
type Answered = Response | Error | ((sent: Sent) => Response);

/** A client whose requests are answered by these one after the other, and what it has sent. */
export function clientOf(answers: Answered[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const client = createClient({
    url: 'https://slipway.example/api/',
    credentials: { apiKey: 'key' },
    ...options,
    fetch: (address, { method, headers, body, signal }) => {
      signal?.throwIfAborted();
      const one = { address, method, headers: new Headers(headers), body };
      sent.push(one);
      const answer = answers.shift();
      if (answer === undefined) throw new Error(`nothing answers ${method} ${address}`);
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(typeof answer === 'function' ? answer(one) : answer);
    },
  });
  return { client, sent };
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
export const passing = (headers?: Record<string, string>) =>
  json({ detail: 'later', code: 'unavailable' }, 503, headers);
export const lost = () => new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
export const keysIn = (sent: Sent[]) => sent.map(({ headers }) => headers.get('Idempotency-Key'));
export const refusalOf = (asked: Promise<unknown>): Promise<Refusal> =>
  asked.then(
    () => expect.fail('it was not refused'),
    (error: unknown) => (error instanceof Refusal ? error : expect.fail(`${String(error)} is no Refusal`)),
  );

/** Lets time pass until it is settled; how long it waited, in milliseconds. */
export async function waited(work: Promise<unknown>): Promise<number> {
  const before = Date.now();
  void vi.runAllTimersAsync();
  await work.catch(() => undefined);
  return Date.now() - before;
}
