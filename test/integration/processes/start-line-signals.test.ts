import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { wordsOf } from '../../../lib/compute/process/server.ts';
import { startOf } from '../../../lib/compute/process/start-line.ts';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import type { OutputLine } from '../../../lib/processes/output.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { writeFiles } from '../../support/files/write-files.ts';
import { until } from '../../support/until.ts';

/** Says goodbye at a SIGTERM, and ends only then. */
const SERVER = `process.on('SIGTERM', () => { console.log('goodbye'); process.exit(7); });
setInterval(() => {}, 1000); console.log('ready');`;

const LINES = ['true && node server.js', 'cd . && export A=b && node server.js', 'node server.js'];

it.each(LINES)('a drain tells the server of `%s`', async (line) => {
  const cwd = await temporaryFolder();
  await writeFiles(cwd, { 'server.js': SERVER });
  const lines: OutputLine[] = [];
  const supervisor = new ProcessSupervisor();
  onTestFinished(() => supervisor.close());
  const [command, ...args] = wordsOf(startOf(line), 8000);
  const group = supervisor.start({
    command,
    args,
    cwd,
    environment: childEnvironment(),
    onLine: (one) => lines.push(one),
  });
  await until(() => lines.some((one) => one.line === 'ready'), { what: 'the server' });
  await supervisor.stop(group, 60_000);
  expect(lines.map((one) => one.line)).toEqual(['ready', 'goodbye']);
  expect(await group.exited).toEqual({ code: 7, signal: null });
});

it.each(LINES)('a signal to the first process alone, as in a container, tells that of `%s`', async (line) => {
  const cwd = await temporaryFolder();
  await writeFiles(cwd, { 'server.js': SERVER });
  const [command, ...args] = wordsOf(startOf(line), 8000);
  const child = spawn(command, args, { cwd, env: childEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  const [ready] = await once(lines, 'line');
  expect(ready).toBe('ready');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([7, null]);
});
