import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../../bin/cli.ts', import.meta.url));

it('who is asked for what comes from stdin ends it with the first Ctrl-C', async () => {
  // Of another version, which the program says before it reads.
  const server = createServer((_, response) =>
    response.setHeader('X-Slipway-Version', '0.0.1').end('{"resources": [{"name": "agent"}], "offset": 1}'),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const running = spawn(process.execPath, [program, 'secrets', 'set', 'A', '-d', 'agent'], {
    env: { ...process.env, SLIPWAY_URL: `http://127.0.0.1:${port}`, SLIPWAY_API_KEY: 'key' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  try {
    const ended = once(running, 'exit');
    await once(running.stderr, 'data');
    running.kill('SIGINT');
    expect(await ended).toEqual([4, null]);
  } finally {
    running.kill('SIGKILL');
    server.close();
    server.closeAllConnections();
  }
});
