import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Site } from '../../builds/execute.ts';
import { BuildFailure } from '../../builds/failure.ts';
import { type BuildPlan, quote } from '../../builds/plan.ts';
import { isOnPath } from '../../builds/project.ts';
import { UV_VERSION } from '../../builds/versions.ts';
import { removeFolder } from './work-folder.ts';

const run = promisify(execFile);

/**
 * The site with uv on its PATH: this machine's own, else one from PyPI in a folder that all builds share,
 * which looks for packages where pip here does. Throws BuildFailure when it cannot be had.
 */
export async function withUv(site: Site, plan: BuildPlan, toolsFolder: string): Promise<Site> {
  const { environment } = site;
  const path = environment.PATH ?? '';
  if (plan.venv === undefined || (await isOnPath('uv', path))) return site;
  const { executable } = plan.venv.python;
  site.say(`uv, which installs Python projects, is not on this machine: using uv ${UV_VERSION} from PyPI`);
  const folder = uvFolder(toolsFolder);
  if (!existsSync(join(folder, 'uv'))) await install(site, executable, toolsFolder, folder);
  const indexes = await indexesOfPip(executable, join(site.root, plan.folder), {
    ...environment,
    ...plan.environment,
  });
  return { ...site, environment: { ...environment, ...indexes, PATH: [folder, path].join(delimiter) } };
}

const uvFolder = (toolsFolder: string): string => join(toolsFolder, `uv-${UV_VERSION}`);

type Shell = Pick<Site, 'environment' | 'run'>;

/**
 * The program uv: this machine's own, else the one that builds share, which `python` can install. Undefined
 * where there is neither of them.
 */
export async function findUv(
  site: Shell,
  python: string | undefined,
  toolsFolder: string,
): Promise<string | undefined> {
  if (await isOnPath('uv', site.environment.PATH ?? '')) return 'uv';
  const folder = uvFolder(toolsFolder);
  const isThere = existsSync(join(folder, 'uv'));
  if (!isThere && python === undefined) return undefined;
  if (!isThere && python !== undefined) await install(site, python, toolsFolder, folder);
  return join(folder, 'uv');
}

/** By pip in an environment that is thrown away: the program itself depends on nothing. */
async function install(site: Shell, python: string, toolsFolder: string, folder: string): Promise<void> {
  const partial = join(toolsFolder, `${randomUUID()}.partial`);
  await mkdir(join(partial, 'tool'), { recursive: true });
  const lines = [
    `${quote(python)} -m venv .`,
    `bin/python -m pip install --quiet --disable-pip-version-check --no-input --only-binary :all: uv==${UV_VERSION}`,
  ];
  const where = { name: 'install', cwd: partial, environment: site.environment } as const;
  try {
    for (const line of lines) {
      const failed = await site.run({ ...where, line, onLine: () => undefined });
      if (failed !== undefined) throw missing();
    }
    await rename(join(partial, 'bin', 'uv'), join(partial, 'tool', 'uv'));
    // Another build may have been faster; one is as good as the other.
    await rename(join(partial, 'tool'), folder).catch((error: unknown) => {
      if (!existsSync(join(folder, 'uv'))) throw error;
    });
  } finally {
    await removeFolder(partial);
  }
}

const missing = () =>
  new BuildFailure(
    `uv, which installs Python projects, is not on this machine and could not be installed from PyPI; install uv ${UV_VERSION}`,
    true,
  );

const SETTING = /^[^=]*\.(index-url|extra-index-url|cert)='(.*)'$/;

/** What pip is set up with on this machine and by the project, in variables of uv, which does not read it. */
async function indexesOfPip(
  python: string,
  cwd: string,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  const listed = await run(python, ['-m', 'pip', 'config', 'list'], { cwd, env }).catch(() => undefined);
  const settings = new Map<string, string>();
  for (const line of listed?.stdout.split('\n') ?? []) {
    const [, name, value] = SETTING.exec(line.trim()) ?? [];
    // Several values stand in lines of their own, which pip writes as they would be in Python.
    if (name !== undefined && value !== undefined)
      settings.set(
        name,
        value
          .split(/\\n|\s/)
          .join(' ')
          .trim(),
      );
  }
  const [index, more, cert] = ['index-url', 'extra-index-url', 'cert'].map((name) => settings.get(name));
  return {
    ...(index !== undefined && { UV_DEFAULT_INDEX: index }),
    ...(more !== undefined && { UV_INDEX: more }),
    ...(cert !== undefined && { SSL_CERT_FILE: cert }),
  };
}

/** Removes what an earlier run left half done. Only while nothing is built. */
export async function tidyTools(toolsFolder: string): Promise<void> {
  const left = (await readdir(toolsFolder).catch(() => [])).filter((name) => name.endsWith('.partial'));
  for (const name of left) await rm(join(toolsFolder, name), { recursive: true, force: true });
}
