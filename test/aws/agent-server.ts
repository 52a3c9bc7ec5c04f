import { createServer } from 'node:http';
import { setInterval as ticks } from 'node:timers/promises';

// A server as an image holds it: what it does when it is started is its first argument.

const [, , version = 'one'] = process.argv;
const { GREETING: secret = null, GREETING_OF_ALL: common = null } = process.env;
const TICK_MS = 500;
const TICKS = 10;

if (version === 'exits') {
  process.stderr.write('Error: no graph in this image\n');
  process.exit(3);
}

const server = createServer(async ({ url, headers }, answer) => {
  if (url === '/ok' && version === 'sick') answer.writeHead(500).end();
  else if (url === '/ok') answer.end('{"ok":true}');
  else if (url === '/stream') {
    answer.writeHead(200, { 'content-type': 'text/plain' });
    let count = 0;
    for await (const _ of ticks(TICK_MS)) {
      count += 1;
      answer.write(`tick ${count} ${version}\n`);
      if (count === TICKS) break;
    }
    answer.end('end\n');
  } else answer.end(JSON.stringify({ version, url, headers, secret, common }));
});
server.listen(Number(process.env.PORT), process.env.HOST, () => {
  process.stdout.write(`listening: ${version}, with ${secret}\n`);
  if (common !== null) process.stdout.write(`all agents have ${common}\n`);
});
process.on('SIGTERM', () => server.close(() => process.exit(0)));
