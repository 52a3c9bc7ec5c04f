import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { Http } from '../../../lib/listener/http.ts';
import { onLoopback } from '../../support/http/loopback-server.ts';

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

it('a request holds whole characters, whatever an agent wrote', async () => {
  const bodies: string[] = [];
  const server = await onLoopback(
    createServer(async (request, response) => {
      bodies.push(await text(request));
      response.end('{}');
    }),
  );
  onTestFinished(() => server.close());
  const body = { lines: [{ message: 'cut \ud83d' }, { message: '😀' }] };
  await new Http(server.url, 'key', quiet).send('POST', 'logs', {
    body,
    signal: AbortSignal.timeout(30_000),
  });
  expect(bodies.map((sent) => JSON.parse(sent))).toEqual([
    { lines: [{ message: 'cut \ufffd' }, { message: '😀' }] },
  ]);
});
