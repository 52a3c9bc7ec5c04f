import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

const VERSION = 'v1';
const TICK_MILLISECONDS = 1000;

function sendJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** A line a second for `seconds`, of which the middle `silent` seconds are without one. */
async function stream(response, seconds, silent) {
  response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
  const ticks = Math.max(2, seconds - silent);
  for (let tick = 1; tick <= ticks && !response.destroyed; tick += 1) {
    response.write(`tick ${tick} ${VERSION}\n`);
    await delay(tick === Math.floor(ticks / 2) ? silent * 1000 : TICK_MILLISECONDS);
  }
  response.end('end\n');
}

/** Keeps a processor busy, one at most, beside the requests. */
let isBurning = false;
function burn(seconds) {
  if (isBurning) return;
  isBurning = true;
  const code = `const end = Date.now() + ${seconds * 1000}; while (Date.now() < end);`;
  new Worker(code, { eval: true }).once('exit', () => {
    isBurning = false;
  });
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const numberOf = (name) => Number(searchParams.get(name) ?? 0);
  if (pathname === '/ok') sendJson(response, 200, { ok: true });
  else if (pathname === '/stream') void stream(response, numberOf('seconds'), numberOf('silent'));
  else if (pathname === '/burn') {
    burn(numberOf('seconds'));
    sendJson(response, 202, { ok: true });
  } else if (pathname === '/')
    sendJson(response, 200, { version: VERSION, arch: process.arch, host: hostname() });
  else sendJson(response, 404, { detail: `Nothing at ${pathname}` });
});

server.listen(Number(process.env.PORT ?? 8000), process.env.HOST ?? '127.0.0.1', () => {
  process.stdout.write(`verify-server ${VERSION} listens on port ${server.address().port}\n`);
});

// Stop accepting, finish what is under way, then end.
let isStopping = false;
process.on('SIGTERM', () => {
  if (isStopping) return;
  isStopping = true;
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
