import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../files/temporary-folder.ts';
import { writeFiles } from '../files/write-files.ts';

const run = promisify(execFile);
const bin = fileURLToPath(new URL('../../../bin/', import.meta.url));
const which = async (tool: string): Promise<string> =>
  (await run('/bin/sh', ['-c', `command -v ${tool}`])).stdout.trim();

/** A Node that says that it is of this version, and notes what it was called with. */
export const nodeOf = (version: string) => `#!/bin/sh
echo "$*" >>node-calls
[ "$1" = --version ] && echo ${version} || exec "${process.execPath}" "$@"
`;

/** Of each set one package, in this version. */
const lockfileOf = (version: string) =>
  JSON.stringify({
    packages: {
      '': { dependencies: { zod: '*' }, devDependencies: { vitest: '*' } },
      'packages/kubernetes': { dependencies: { '@kubernetes/client-node': '*' } },
      'packages/node': { optionalDependencies: { 'node-here': '*', 'node-elsewhere': '*' } },
      'node_modules/zod': { version },
      'node_modules/vitest': { version, dev: true },
      'node_modules/@kubernetes/client-node': { version },
      'node_modules/node-here': { version, optional: true, os: [process.platform] },
      'node_modules/node-elsewhere': { version, optional: true, os: ['elsewhere'] },
    },
  });

const NPM = `#!/bin/sh
exec "${process.execPath}" "${fileURLToPath(new URL('npm-main.ts', import.meta.url))}" "$@"
`;

export type Machine = {
  /** The user's Node, if there is one. */
  own?: string;
  /** The one that npm would bring, if there is one for this platform. */
  ours?: string;
  /** Whether npm links it, as npm 10 does not. */
  linked?: boolean;
};

/** A clone with nothing but a lockfile, on a machine like this, and what can be done to it. */
export async function freshClone({ own, ours, linked = true }: Machine) {
  const folder = await temporaryFolder();
  const at = (...names: string[]) => join(folder, ...names);
  await writeFiles(folder, {
    'package-lock.json': lockfileOf('1.0.0'),
    'machine/npm': NPM,
    ...(own !== undefined && { 'machine/node': own }),
    ...(ours !== undefined && { ours }),
    ...(!linked && { unlinked: '' }),
  });
  await Promise.all(['npm', 'node'].map((name) => chmod(at('machine', name), 0o755).catch(() => {})));
  await symlink(bin, at('bin'));
  const system = await temporaryFolder();
  for (const tool of ['uname', 'rm', 'ln']) await symlink(await which(tool), join(system, tool));
  // As npm has it when it runs a script.
  const PATH = [at('node_modules/.bin'), at('machine'), system].join(delimiter);
  const linesOf = async (file: string) =>
    (await readFile(at(file), 'utf8').catch(() => '')).split('\n').filter(Boolean);

  /** Starts setup, with a promise of all that it says and of its exit status. */
  const start = (set: string) => {
    const child = spawn('/bin/sh', ['bin/setup.sh', set], { cwd: folder, env: { PATH } });
    const said: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
    const ended = new Promise<{ code: number | null; said: string }>((resolve) => {
      child.once('close', (code) => resolve({ code, said: said.join('') }));
    });
    return { child, ended, said: () => said.join('') };
  };
  return {
    at,
    start,
    setup: (set = 'run') => start(set).ended,
    npmCalls: () => linesOf('npm-calls'),
    nodeCalls: () => linesOf('node-calls'),
    /** Whether a package is there with all its files, in which version. */
    wholeVersion: (name: string) => readFile(at('node_modules', name, 'rest'), 'utf8').catch(() => undefined),
    has: (name: string) => existsSync(at('node_modules', name)),
    write: (name: string, text = '') => writeFile(at(name), text),
    /** A pull has changed the lockfile. */
    async raise(version: string) {
      await writeFile(at('package-lock.json'), lockfileOf(version));
      const later = new Date(Date.now() + 60_000);
      await utimes(at('package-lock.json'), later, later);
    },
  };
}
