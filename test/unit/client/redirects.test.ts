import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { createClient } from '../../../lib/client/client.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serving(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
}

it('a key never follows to where an answer leads', async () => {
  const seen: unknown[] = [];
  const other = await serving(({ headers }, response) => {
    seen.push(headers['x-api-key']);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  const url = await serving(({ url: path }, response) => {
    response.writeHead(307, { location: other + path }).end();
  });
  const client = createClient({ url, credentials: { apiKey: 'key' }, triesMax: 1 });
  await expect(client.ask('GET /v2/me', {})).rejects.toThrow(/redirect/);
  expect(seen).toEqual([]);
});
