import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../../bin/cli.ts', import.meta.url));
const hasScript = spawnSync('script', ['--version'], { stdio: 'ignore' }).status === 0;

/** Of another version, which the program says before it reads. */
let server: Server;
let environment: NodeJS.ProcessEnv;
beforeEach(async () => {
  const answer = '{"resources": [{"name": "agent", "url": null}], "offset": 1}';
  server = createServer((_, response) => response.setHeader('X-Slipway-Version', '0.0.1').end(answer));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  environment = {
    ...process.env,
    SLIPWAY_URL: `http://127.0.0.1:${port}`,
    SLIPWAY_API_KEY: 'key',
    TERM: 'xterm',
  };
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

it('who is asked for what comes from stdin ends it with the first Ctrl-C', async () => {
  const running = spawn(process.execPath, [program, 'secrets', 'set', 'A', '-d', 'agent'], {
    env: environment,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = once(running, 'exit');
  await once(running.stderr, 'data');
  running.kill('SIGINT');
  expect(await ended).toEqual([4, null]);
});

it.runIf(hasScript)('a question stays on the terminal where it is answered', async () => {
  const line = `'${process.execPath}' '${program}' delete agent`;
  const running = spawn('script', ['-qec', line, '/dev/null'], {
    env: environment,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(running, 'exit');
  let shown = '';
  let isAnswered = false;
  for await (const piece of running.stdout.setEncoding('utf8')) {
    shown += String(piece);
    // Once: what comes after the answer may be the last that it says.
    if (!isAnswered && shown.includes('to go on: ')) {
      isAnswered = true;
      running.stdin.write('other\r');
    }
  }
  expect(await ended).toEqual([2, null]);
  // Readline clears what is there before it draws.
  expect(shown.split('\u001b[0J').at(-1)).toContain('This deletes agent. Type its name to go on: ');
  expect(shown).toContain("That is not 'agent'");
});
