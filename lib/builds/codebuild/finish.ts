import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, open, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NEEDS_START_COMMAND, type ServerStart } from '../../contract/server-start.ts';
import { execLine } from '../../contract/shell-line.ts';
import type { Site } from '../execute.ts';
import { foldersAbove } from '../javascript.ts';
import { type BuildPlan, quote } from '../plan.ts';
import { serverStartOf } from '../seal.ts';
import { requireOwnWheels } from '../wheels.ts';

/**
 * Writes to a folder what the image of a server gets besides the source: `start` starts it, `project` leads
 * to the project's folder whatever that is called, and `libraries` are those that what was built is linked
 * to. Throws BuildFailure when nothing can be started.
 */
export async function addServer(
  { root, say }: Pick<Site, 'root' | 'say'>,
  plan: BuildPlan,
  tools: ReadonlySet<string>,
  to: string,
): Promise<void> {
  const start = await serverStartOf(root, plan, tools);
  if (start.venv !== undefined) await requireOwnWheels(join(root, start.venv));
  await mkdir(join(to, 'libraries'), { recursive: true });
  await symlink(join(root, start.folder), join(to, 'project'));
  await writeFile(join(to, 'start'), startScript(root, start));
  await chmod(join(to, 'start'), 0o755);
  say(`The image starts ${start.from}`);
  const libraries = await librariesOf(await nativeFiles(root));
  for (const [name, path] of libraries) await copyFile(path, join(to, 'libraries', name));
  if (libraries.size > 0) say(`It takes along libraries: ${[...libraries.keys()].join(', ')}`);
}

/** PATH is as a machine has it: the environment's tools, then those of npm from the project's folder upwards. */
function startScript(root: string, { folder, line, venv }: ServerStart): string {
  const project = join(root, folder);
  const modules = [project, ...foldersAbove(root, project)].map((one) => join(one, 'node_modules', '.bin'));
  const environment = venv === undefined ? [] : [join(root, venv)];
  const tools = [...environment.map((one) => join(one, 'bin')), ...modules].map(quote).join(':');
  return [
    '#!/bin/sh',
    `cd ${quote(project)} || exit 1`,
    `export PATH=${tools}:"$PATH"`,
    ...environment.map((one) => `export VIRTUAL_ENV=${quote(one)}`),
    line === undefined ? `echo ${quote(NEEDS_START_COMMAND)} >&2; exit 1` : execLine(line),
    '',
  ].join('\n');
}

/** Extension modules and programs, which may be linked to libraries of the image that they were built in. */
async function nativeFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (/\.(?:so(?:\.[\d.]+)?|node)$/.test(entry.name)) found.push(path);
    else if (!entry.name.includes('.') && (await isElf(path))) found.push(path);
  }
  return found;
}

async function isElf(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1') === '\x7fELF';
  } finally {
    await file.close();
  }
}

/** The C library's own parts: every image has them. */
const OF_LIBC =
  /^(?:ld-linux|linux-vdso|lib(?:c|m|dl|pthread|rt|resolv|util|nsl|anl|mvec|stdc\+\+|gcc_s)\.so)/;
const FILES_AT_ONCE = 200;

/** The libraries of this image that these files are linked to, also by each other: their names and paths. */
export async function librariesOf(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const libraries = new Map<string, string>();
  for (let at = 0; at < files.length; at += FILES_AT_ONCE)
    for (const [, name = '', path = ''] of (await ldd(files.slice(at, at + FILES_AT_ONCE))).matchAll(
      /^\t(\S+) => (\/(?:usr\/)?lib\S+) \(/gm,
    ))
      if (!OF_LIBC.test(name)) libraries.set(name, path);
  return libraries;
}

/** What ldd prints, which fails for a file of another system or of a program without libraries. */
async function ldd(files: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)('ldd', [...files], { maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
  }
}
