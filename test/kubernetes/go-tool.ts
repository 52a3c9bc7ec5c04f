import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { run } from '../support/programs/python-tools.ts';
import { timed } from '../support/run/progress.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cache = process.env.SLIPWAY_KUBERNETES_CACHE ?? join(root, 'node_modules/.cache/slipway-kubernetes');

/** What Go is told about its caches and its proxy counts here too. Its own installer is often not on the PATH. */
function goEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => /^GO[A-Z]+$/.test(name));
  const PATH = [process.env.PATH ?? '', '/usr/local/go/bin'].join(delimiter);
  return { ...Object.fromEntries(own.map(([name, value]) => [name, value ?? ''])), PATH };
}

/** Builds a program from its Go module (`module@version`), unless it is kept. Returns its path. */
export async function goTool(processes: ProcessSupervisor, module: string): Promise<string> {
  const [path = '', version = ''] = module.split('@');
  const name = path.split('/').findLast((part) => !/^v\d+$/.test(part)) ?? '';
  const folder = join(cache, 'bin', `${name}-${version}`);
  const program = join(folder, name);
  if (existsSync(program)) return program;
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    const environment = { ...goEnvironment(), GOBIN: unfinished };
    await timed(`${name} is built`, () => run(processes, 'go', ['install', module], { environment }));
    // Another run may have been sooner.
    await rename(unfinished, folder).catch(() => undefined);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return program;
}
