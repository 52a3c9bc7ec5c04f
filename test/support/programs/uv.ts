import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { UV_VERSION } from '../../../lib/builds/versions.ts';

export type Uv = {
  /** What the tool is called by. */
  program: string;
  /** A PATH with its folder first. */
  path: string;
};

/** Installs uv from PyPI into a folder. */
export function installUv(folder: string): Uv {
  execFileSync('python3', ['-m', 'venv', join(folder, 'venv')]);
  const target = join(folder, 'uv');
  execFileSync(join(folder, 'venv/bin/pip'), ['install', '--quiet', '--target', target, `uv==${UV_VERSION}`]);
  const bin = join(target, 'bin');
  return { program: join(bin, 'uv'), path: [bin, process.env.PATH].join(delimiter) };
}
