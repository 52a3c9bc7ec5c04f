import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export type Step = {
  name: string;
  command: readonly [program: string, ...args: string[]];
  /** Beside our own. */
  environment?: Record<string, string>;
};
export type Ran = { ok: boolean; seconds: number; output: string };

const running = new Set<ChildProcess>();

// What is told to end ends what it started first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) {
      // Before anybody who waits for the child takes its end for a failure and goes on.
      child.prependOnceListener('close', () => {
        running.delete(child);
        if (running.size === 0) process.exit(1);
      });
      child.kill('SIGTERM');
    }
    if (running.size === 0) process.exit(1);
  });
}

/** Runs a step to its end and keeps what it prints; with `live` it is shown at once too. A program that cannot be started is a failed step. */
export async function runStep(
  { command: [program, ...args], environment }: Step,
  { live = false }: { live?: boolean } = {},
): Promise<Ran> {
  const started = performance.now();
  const chunks: Buffer[] = [];
  const env = { ...process.env, ...environment };
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  running.add(child);
  const keep = (chunk: Buffer) => {
    chunks.push(chunk);
    if (live) process.stdout.write(chunk);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let problem = '';
  let ok = false;
  try {
    const [code]: unknown[] = await once(child, 'close');
    ok = code === 0;
  } catch (error) {
    problem = `${program} cannot be run: ${error instanceof Error ? error.message : String(error)}\n`;
  }
  running.delete(child);
  const seconds = (performance.now() - started) / 1000;
  return { ok, seconds, output: Buffer.concat(chunks).toString() + problem };
}

/** Vitest with little output and a report for machines; `args` choose what is run. */
export const vitestStep = (reportFile: string, args: readonly string[] = []): Step => ({
  name: 'tests',
  command: [
    'vitest',
    'run',
    '--config',
    'test/vitest.config.ts',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
    ...args,
  ],
});
