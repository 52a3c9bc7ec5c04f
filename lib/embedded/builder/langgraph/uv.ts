import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Python } from '../../../processes/python.ts';
import { BuildFailure } from '../failure.ts';
import { isOnPath } from '../project.ts';
import { runStep, type StepContext } from '../run-step.ts';
import { removeFolder } from '../work-folder.ts';

/** Tried together with the examples. */
const UV_VERSION = '0.13.9';

export type UvRequest = {
  /** Holds the tools that all builds of this machine share. */
  toolsFolder: string;
  python: Python;
  environment: Record<string, string>;
  /** A lockfile of uv decides the versions: then uv is needed, wherever it comes from. */
  needed: boolean;
};

/**
 * The folders that uv adds to PATH: none where it is there already, one of our own where it is needed and missing. Undefined without
 * uv. Throws BuildFailure when it is needed and cannot be had: other versions than the lockfile's are not what was asked for.
 */
export async function provideUv(context: StepContext, request: UvRequest): Promise<string[] | undefined> {
  if (await isOnPath('uv', request.environment.PATH ?? '')) return [];
  if (!request.needed) return undefined;
  const folder = join(request.toolsFolder, `uv-${UV_VERSION}`);
  context.log.say(`uv.lock asks for uv, which is not on this machine: using uv ${UV_VERSION} from PyPI`);
  if (!existsSync(join(folder, 'uv'))) await install(context, request, folder);
  return [folder];
}

/** By pip in an environment that is thrown away: the program itself depends on nothing. */
async function install(
  context: StepContext,
  { toolsFolder, python, environment }: UvRequest,
  folder: string,
): Promise<void> {
  const partial = join(toolsFolder, `${randomUUID()}.partial`);
  const program = join(partial, 'bin');
  await mkdir(join(partial, 'tool'), { recursive: true });
  const commands = [
    `'${python.executable}' -m venv .`,
    `bin/python -m pip install --quiet --disable-pip-version-check --no-input --only-binary :all: uv==${UV_VERSION}`,
  ];
  try {
    for (const command of commands)
      await runStep(context, { name: 'install', plan: { do: 'run', command }, cwd: partial, environment });
    await rename(join(program, 'uv'), join(partial, 'tool', 'uv'));
    // Another build may have been faster; one is as good as the other.
    await rename(join(partial, 'tool'), folder).catch((error: unknown) => {
      if (!existsSync(join(folder, 'uv'))) throw error;
    });
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error;
    const why = 'which is not on this machine and could not be installed from PyPI';
    throw new BuildFailure(`uv.lock asks for uv, ${why}; install uv ${UV_VERSION} or remove uv.lock`, true);
  } finally {
    await removeFolder(partial);
  }
}

/** Removes what an earlier run left half done. Only while nothing is built. */
export async function tidyTools(toolsFolder: string): Promise<void> {
  const left = (await readdir(toolsFolder).catch(() => [])).filter((name) => name.endsWith('.partial'));
  for (const name of left) await rm(join(toolsFolder, name), { recursive: true, force: true });
}
