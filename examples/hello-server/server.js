import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Change it, commit and deploy again to see the new one take over. */
const VERSION = 'v1';

const STREAM_CHUNKS = 50;
const STREAM_INTERVAL_MILLISECONDS = 100;

function sendJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Five seconds of chunks: long enough to watch a deployment switch under an open response. */
async function stream(response) {
  response.writeHead(200, { 'content-type': 'text/plain' });
  for (let index = 0; index < STREAM_CHUNKS && !response.destroyed; index += 1) {
    response.write(`chunk ${index} of ${STREAM_CHUNKS} from ${VERSION}\n`);
    await delay(STREAM_INTERVAL_MILLISECONDS);
  }
  response.end('end\n');
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/ok') sendJson(response, 200, { ok: true });
  else if (pathname === '/stream') void stream(response);
  else if (pathname === '/') {
    const greeting = process.env.GREETING ?? null;
    sendJson(response, 200, { message: 'Hello from Slipway', greeting, version: VERSION });
  } else sendJson(response, 404, { detail: `Nothing at ${pathname}` });
});

server.listen(Number(process.env.PORT ?? 8000), process.env.HOST ?? '127.0.0.1', () => {
  console.log(`hello-server ${VERSION} listens on port ${server.address().port}`);
});

// Stop accepting, finish what is under way, then end.
let stopping = false;
process.on('SIGTERM', () => {
  if (stopping) return;
  stopping = true;
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
