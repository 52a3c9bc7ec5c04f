import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { gateway } from '../../support/http/gateway.ts';
import { until } from '../../support/until.ts';

/** A gateway that waits for what is in flight closes only once that has ended. */
const ENDLESS_GRACE = { closeGraceMilliseconds: 3_600_000 };

describe('server-sent events', () => {
  const eventAnswer = (ids: number[]) => ({
    statusCode: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: ['retry: 500\n\n', ...ids.map((id) => `id: ${id}\ndata: {"n":${id}}\n\n`)].join(''),
  });

  it('go on in one connection, each answer after the last event seen, until the client leaves', async () => {
    const asked: (string | undefined)[] = [];
    const { url, close } = await gateway(async ({ headers }) => {
      const last = headers['last-event-id'];
      asked.push(last);
      const next = Number(last ?? 0) + 1;
      return eventAnswer(next > 5 ? [] : [next, next + 1]);
    });
    const leave = new AbortController();
    const response = await fetch(`${url}/v2/things`, {
      headers: { accept: 'text/event-stream' },
      signal: leave.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    const read = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    await until(() => asked.length >= 5, { what: 'five questions' });
    expect(asked.slice(0, 5)).toEqual([undefined, '2', '4', '6', '6']);
    expect([...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))).toEqual([1, 2, 3, 4, 5, 6]);
    leave.abort();
    await read;
    await close();
    const after = asked.length;
    expect(after).toBeLessThan(20);
  });

  it('end with the event that says so, though a stream may only say how far it has come', async () => {
    const asked: (string | undefined)[] = [];
    const { url } = await gateway(async ({ headers }) => {
      const last = headers['last-event-id'];
      asked.push(last);
      const body = last === undefined ? 'id: 7\n\n' : 'event: end\ndata: {"status":"SKIPPED"}\n\n';
      return { ...eventAnswer([]), body: `retry: 500\n\n${body}` };
    });
    const response = await fetch(`${url}/v2/things`);
    expect(await response.text()).toBe(
      'retry: 500\n\nid: 7\n\nretry: 500\n\nevent: end\ndata: {"status":"SKIPPED"}\n\n',
    );
    expect(asked).toEqual([undefined, '7']);
  });

  it('end when the gateway closes', async () => {
    const { url, close } = await gateway(async () => eventAnswer([]));
    const response = await fetch(`${url}/v2/things`);
    const text = response.text();
    await close();
    expect(await text).toBe('retry: 500\n\n');
  });

  it('hold up no shutdown while their handler waits for entries', async () => {
    const waiting = Promise.withResolvers<void>();
    const { url, close, seen } = await gateway(async () => {
      if (seen.length > 1) await waiting.promise;
      return eventAnswer([seen.length]);
    }, ENDLESS_GRACE);
    const response = await fetch(`${url}/v2/things`);
    const text = response.text();
    await until(() => seen.length === 2, { what: 'the second question' });
    await close();
    expect(await text).toBe('retry: 500\n\nid: 1\ndata: {"n":1}\n\n');
    waiting.resolve();
  });
});

describe('closing', () => {
  it('lets a request in flight finish and takes no new one', async () => {
    const inside = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const { url, close } = await gateway(async () => {
      inside.resolve();
      await finish.promise;
      return { statusCode: 200, body: '{"done":true}' };
    }, ENDLESS_GRACE);
    const answer = fetch(`${url}/v2/things`);
    await inside.promise;
    const closed = close();
    await expect(fetch(`${url}/v2/things`)).rejects.toThrow();
    finish.resolve();
    expect(await (await answer).json()).toEqual({ done: true });
    await closed;
  });

  it('does not wait for a client that sends nothing', async () => {
    const { port, close } = await gateway();
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    const ended = once(socket, 'close');
    await close();
    await expect(ended).resolves.toBeDefined();
  });
});
