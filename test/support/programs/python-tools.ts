import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import type { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** So many lines of a failed program say why it failed. */
const SHOWN_LINES_MAX = 40;

/** Without these nothing is skipped: the tests fail, and say so. */
const NEEDED =
  "import sys, venv, ensurepip; sys.version_info >= (3, 10) or sys.exit('python3 is ' + sys.version + ': 3.10 or later is needed, with venv')";

/**
 * Installs packages of Python (`name==version`) into a virtual environment in `folder`, unless they are
 * there.
 */
export async function installPython(
  processes: ProcessSupervisor,
  folder: string,
  packages: readonly string[],
): Promise<void> {
  const done = join(folder, 'installed');
  if (existsSync(done)) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run(processes, 'python3', ['-c', NEEDED]);
  await run(processes, 'python3', ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
  await run(processes, join(folder, 'bin/python'), pip);
  await writeFile(done, '');
}

/** Runs a program to its end. Throws with what it printed when it fails. */
export async function run(
  processes: ProcessSupervisor,
  command: string,
  args: string[],
  { cwd = root, environment = {} }: { cwd?: string; environment?: Record<string, string> } = {},
): Promise<string> {
  const lines: string[] = [];
  const onLine = ({ line }: { line: string }) => void lines.push(line);
  const all = childEnvironment(environment);
  const group = processes.start({ command, args, cwd, environment: all, onLine });
  const { code, error = '' } = await group.exited;
  await processes.stop(group, 0);
  if (code !== 0) {
    const last = lines.slice(-SHOWN_LINES_MAX).join('\n');
    throw new Error(`${command} ${args.join(' ')} ended with ${code}${error}:\n${last}`);
  }
  return lines.join('\n');
}
