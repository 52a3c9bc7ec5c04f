import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KeptWorker } from '../../../lib/agent-runtime/worker/kept-worker.ts';
import { PROTOCOLS } from '../../../lib/agent-runtime/worker/session.ts';

const root = new URL('../../../', import.meta.url);

/** A worker that says of itself what it is given, and then waits for its end. */
const startWorker = (hello: object): Promise<KeptWorker> =>
  KeptWorker.start({
    program: process.execPath,
    args: [
      '-e',
      `require('node:fs').writeSync(3, ${JSON.stringify(`${JSON.stringify({ e: 'hello', n: 0, ...hello })}\n`)});
      setInterval(() => {}, 1_000);`,
    ],
    cwd: process.cwd(),
    environment: { PATH: process.env['PATH'] },
    pingEveryMs: 60_000,
    silentMsMax: 60_000,
    say: () => undefined,
  });

const rest = { language: 'python', langgraph: '1.0.0', graphs: {}, auth: false, drains: true };

test.each(PROTOCOLS)('a worker of version %i of the protocol is taken', async (v) => {
  const worker = await startWorker({ v, ...rest, lacks: [], cors: {} });
  expect(worker.hello).toMatchObject({ protocol: v });
  await worker.stop();
});

test('a worker of another version is refused in words, whatever else it says', async () => {
  await expect(startWorker({ v: 99, speaks: 'otherwise' })).rejects.toThrow(
    `it speaks version 99 of the protocol, and this server ${PROTOCOLS.join(', ')}: build the revision again, or update what runs it`,
  );
});

test('the worker of this version speaks one that its server does', () => {
  const program = readFileSync(new URL('lib/agent-runtime/python/slipway_worker/__init__.py', root), 'utf8');
  expect(PROTOCOLS).toContain(Number(/^PROTOCOL = (\d+)$/m.exec(program)?.[1]));
});
