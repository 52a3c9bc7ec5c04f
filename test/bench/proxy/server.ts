import { createServer, type ServerResponse } from 'node:http';
import { EVENTS } from './requests.ts';
import { tellPort } from './tell-port.ts';

/** What is behind all proxies: an answer of so many bytes, a stream of events, or one that goes on for ever. */
const bodies = new Map([1_000, 100_000].map((size) => [`/bytes/${size}`, Buffer.alloc(size, 'slipway ')]));

/** Each event is a write of its own, as an agent sends one when it has one. */
function sendEvents(response: ServerResponse): void {
  let sent = 0;
  const next = (): void => {
    sent += 1;
    response.write(`data: {"number":${sent},"token":"word"}\n\n`);
    if (sent < EVENTS) setImmediate(next);
    else response.end();
  };
  next();
}

/** One event with the time of its sending, as often as the address says. */
function sendTimes(response: ServerResponse, perSecond: number): void {
  const timer = setInterval(
    () => response.write(`data: ${performance.timeOrigin + performance.now()}\n\n`),
    1000 / perSecond,
  );
  response.once('close', () => clearInterval(timer));
}

const server = createServer(({ url = '' }, response) => {
  // A proxy that strips no prefix passes it on.
  const path = url.replace(/^\/d\/app/, '');
  const body = bodies.get(path);
  if (body !== undefined) {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length }).end(body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  if (path === '/events') sendEvents(response);
  // Not every proxy passes a head on before something follows it.
  else if (path === '/idle') response.write(': here\n\n');
  else if (path.startsWith('/times/')) sendTimes(response, Number(path.slice('/times/'.length)));
});
server.keepAliveTimeout = 60_000;
tellPort(server);
