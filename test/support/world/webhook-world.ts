import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, vi } from 'vitest';
import { create as createDeliver } from '../../../functions/webhooks/deliver.ts';
import { idOfWake, type Wake } from '../../../lib/adapters/webhook-waker.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { createEmbeddedWaker } from '../../../lib/embedded/waker.ts';
import { createWebhook } from '../../../lib/features/webhooks/create.ts';
import { getWebhook, listWebhookDeliveries } from '../../../lib/features/webhooks/list.ts';
import {
  createWebhook as createRow,
  listWebhookDeliveries as deliveriesRow,
} from '../../../lib/features/webhooks/routes.ts';
import { limited } from '../table/limited-table.ts';
import { until } from '../until.ts';
import type { World } from './world.ts';

/** What a receiver was sent, and when by the clock of the world (epoch milliseconds). */
export type Received = { id: string; headers: Record<string, string>; body: string; at: number };

export type Receiver = {
  url: string;
  /** Everything that came, in order; what was answered with an error too. */
  received: Received[];
  /** The same, of those that were taken. */
  taken: Received[];
  /** How it answers from now on. A status, or what to do with the response. */
  answer: number | ((response: ServerResponse, message: Received) => void);
};

/** A server on this machine that keeps what it is sent. */
export async function aReceiver(now: () => number): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], taken: [], answer: 204 };
  const server: Server = createServer((request, response) => void take(receiver, now, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  receiver.url = `http://127.0.0.1:${address.port}/hook`;
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return receiver;
}

async function take(
  receiver: Receiver,
  now: () => number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const body = Buffer.concat(parts).toString();
  const message = { id: headers['webhook-id'] ?? '', headers, body, at: now() };
  receiver.received.push(message);
  const { answer } = receiver;
  if (typeof answer === 'function') return answer(response, message);
  if (answer < 300) receiver.taken.push(message);
  response.writeHead(answer, answer === 301 ? { location: receiver.url } : {}).end();
}

/** Fails unless a message is signed with this secret for the time at which it came. */
export function verify({ headers, body, at }: Received, secret: string): unknown {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(at);
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    clock.mockRestore();
  }
}

/** A world whose stream and sweep wake the function that delivers; `wakes` has who was woken. */
export function delivering<W extends World>(world: W) {
  const wakes: Wake[] = [];
  const errors: unknown[] = [];
  const waker = createEmbeddedWaker(idOfWake, (error) => errors.push(error));
  const deliver = createDeliver(() => limited(world.deps, functionRows.deliver.access));
  waker.onWake((wake) => {
    wakes.push(wake);
    return deliver(wake);
  });
  onTestFinished(() => waker.close());
  world.deps.webhookWaker = waker;
  const { deps, caller } = world;
  const hook = (url: string, more: object = {}) =>
    createWebhook(deps, { body: createRow.body.parse({ url, ...more }) }, caller);
  const shown = (id: string) => getWebhook(deps, { params: { webhook_id: id } }, caller);
  const deliveriesOf = async (id: string) => {
    const query = deliveriesRow.query.parse({ limit: '100' });
    return (await listWebhookDeliveries(deps, { params: { webhook_id: id }, query }, caller)).resources;
  };
  return {
    ...world,
    wakes,
    errors,
    hook,
    shown,
    deliveriesOf,
    deliver: (id: string, deliveryId?: string) =>
      deliver({ tenantId: caller.tenantId, webhookId: id, ...(deliveryId && { deliveryId }) }),
    wakeUp: (id: string) => waker.wake({ tenantId: caller.tenantId, webhookId: id }),
    receiver: () => aReceiver(deps.clock.now),
  };
}

/** Waits until a receiver has taken so many messages. */
export const hasTaken = (receiver: Receiver, count: number) =>
  until(() => receiver.taken.length >= count && receiver.taken, {
    what: `${count} messages at the receiver`,
  });

type Data = { deployment_id?: string; sequence: number; status?: string; type: string; number: number };
export const dataOf = ({ body }: Received): Data => JSON.parse(body).data as Data; // as the contract says

/** Fails unless messages of each deployment came in the order of their sequence, repetitions apart. */
export function expectInOrder(messages: readonly Received[]): void {
  const byDeployment = Map.groupBy(messages, (message) => dataOf(message).deployment_id);
  for (const own of byDeployment.values()) {
    const sequences = own.map((message) => dataOf(message).sequence);
    const firsts = [...new Set(sequences)];
    expect(firsts).toEqual(firsts.map((_, at) => (firsts[0] ?? 1) + at));
    // A repetition repeats only what came last.
    for (const [at, sequence] of sequences.entries())
      expect(sequence).toBeGreaterThanOrEqual(sequences[at - 1] ?? 0);
  }
}
