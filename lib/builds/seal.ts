import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServerStart, START_FILE } from '../contract/server-start.ts';
import { PYTHON_ENVIRONMENT, sealPythonEnvironment } from '../processes/python/environment.ts';
import { detectServer, nothingToStart, releaseLine } from './detect/detect.ts';
import { readSourceFiles } from './detect/source-files.ts';
import { BuildFailure } from './failure.ts';
import type { BuildPlan } from './plan.ts';
import { isFile } from './project.ts';
import { requireOwnWheels } from './wheels.ts';

/** Makes the plan's virtual environment ready to move with the source; nothing more may be run in it. */
export async function sealVenv(root: string, { folder, python }: SealedVenv): Promise<void> {
  await requireOwnWheels(join(root, folder));
  await sealPythonEnvironment(join(root, folder), root, python);
}

type SealedVenv = { folder: string; python?: { version: string } };

/**
 * Makes a built source ready to be deployed: seals its environment, and writes down how its server is
 * started. Throws BuildFailure when nothing can be started.
 */
export async function sealSource(root: string, plan: BuildPlan, tools: ReadonlySet<string>): Promise<void> {
  const venv = await venvOf(root, plan);
  if (venv !== undefined) await sealVenv(root, venv);
  // One in the source, which may be a link, is not the build's word.
  await rm(join(root, START_FILE), { recursive: true, force: true });
  if (plan.server === 'langgraph') return;
  await writeFile(join(root, START_FILE), JSON.stringify(await serverStartOf(root, plan, tools)));
}

/** How the server in a built source is started. Throws BuildFailure when nothing can be. */
export async function serverStartOf(
  root: string,
  plan: BuildPlan,
  tools: ReadonlySet<string>,
): Promise<ServerStart> {
  const venv = await venvOf(root, plan);
  const { isGiven = false, ...found } =
    plan.start ?? (await startOfMade(root, plan, tools, venv !== undefined));
  const start = isGiven ? { from: found.from } : found;
  return {
    folder: plan.folder,
    ...(plan.release !== undefined && { release: plan.release }),
    ...start,
    ...(venv !== undefined && { venv: venv.folder }),
  };
}

/** The Python environment of a built source: also one that a command of the client has made where the plan has none. */
const venvOf = async (root: string, plan: BuildPlan): Promise<SealedVenv | undefined> =>
  plan.venv ?? (await ownVenv(root, plan));

/** Only commands of the client make one; what lies in a source was made for another machine. */
async function ownVenv(root: string, { folder, ownCommands }: BuildPlan): Promise<SealedVenv | undefined> {
  const venv = join(folder, PYTHON_ENVIRONMENT);
  const isMade = ownCommands && (await isFile(join(root, venv, 'pyvenv.cfg')));
  return isMade ? { folder: venv } : undefined;
}

/** What is started of a source in which only its commands have made something to start. */
async function startOfMade(
  root: string,
  { folder }: BuildPlan,
  tools: ReadonlySet<string>,
  hasVenv: boolean,
): Promise<NonNullable<BuildPlan['start']> & Pick<ServerStart, 'release'>> {
  const look = { files: await readSourceFiles(root, join(root, folder)), folder, tools };
  const found = detectServer(look);
  if (found === undefined) throw new BuildFailure(nothingToStart(look));
  if ('refused' in found) throw new BuildFailure(found.refused);
  // Nothing more is built, and nothing installed.
  if (found.build !== undefined || (found.python?.adds !== undefined && !hasVenv))
    throw new BuildFailure(
      `The commands have made ${found.what} (${found.file}), which they did not install or build; let the source itself have that file`,
    );
  const release = releaseLine(look.files);
  return { line: found.line, from: found.from, ...(release !== undefined && { release }) };
}
