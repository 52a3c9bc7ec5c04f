import { cp, readdir, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { DURABLE_WORKER_FOLDER } from '../contract/deployments/durable-worker.ts';
import type { DurableWish } from '../contract/deployments/runtimes.ts';
import type { AgentProject } from './agent-project.ts';
import { BuildFailure } from './failure.ts';
import { type BuildPlan, type BuildStep, quote } from './plan.ts';
import { isFile } from './project.ts';
import type { LocalDependency, PythonDependencies } from './python-dependencies.ts';
import { DURABLE_PACKAGES, LANGGRAPH_OLDEST } from './versions.ts';

/** What a source asks for cannot be run by Slipway's own server. */
export class NotDurable extends BuildFailure {}

/**
 * Whether Slipway's own server is to run what a source holds. Throws NotDurable where it should and cannot.
 * An agent in JavaScript of a deployment that has never run is built for another where nobody asked.
 */
export function becomesDurable(
  wish: DurableWish | undefined,
  agent: AgentProject | undefined,
  configPath: string,
): boolean {
  if (wish === undefined) return false;
  if (agent === undefined) {
    if (wish !== 'asked') return false;
    throw new NotDurable(
      `The runtime 'durable' runs the graphs of ${configPath}, which names none; set source_config.runtime to 'auto'`,
    );
  }
  if (agent.language === 'python') return true;
  if (wish === 'preferred') return false;
  throw new NotDurable(
    "The runtime 'durable' runs graphs in Python alone so far; set source_config.runtime to 'dev', with accept_new_state where the deployment has run",
  );
}

/**
 * Installs what the worker of durable agents needs, in versions that go together with what the project asks
 * for: where its lockfile has older ones than the worker takes, those are raised. `own`: an install command
 * of the client, which alone knows what is asked for.
 */
export async function durableStep(
  project: AgentProject,
  { local, packages }: PythonDependencies,
  own: boolean,
): Promise<BuildStep> {
  const asked = own
    ? []
    : [
        ...(await Promise.all(local.map((one) => requirementsOf(project, one)))).flat(),
        ...packages.map(quote),
      ];
  const command = ['uv pip install', ...asked, ...DURABLE_PACKAGES.map(quote)].join(' ');
  return { do: 'durable-worker', command };
}

/** What a folder asks for. A lockfile is left out: what it has is installed, and stays as far as it can. */
async function requirementsOf(
  { folder: from }: AgentProject,
  { folder, kind }: LocalDependency,
): Promise<string[]> {
  const file = (name: string) => quote(relative(from, join(folder, name)) || name);
  if (kind === 'requirements') return ['-r', file('requirements.txt')];
  if (kind === 'files') return [];
  if (await isFile(join(folder, 'pyproject.toml'))) return ['-r', file('pyproject.toml')];
  return ['-r', file('setup.py')];
}

/**
 * Puts the program that runs graphs beside the durable server into a built source, from the folder `worker`:
 * servers of later versions speak with the worker that an artifact has.
 */
export async function addWorker(
  root: string,
  plan: Pick<BuildPlan, 'folder'>,
  worker: string,
): Promise<void> {
  const target = join(root, plan.folder, DURABLE_WORKER_FOLDER);
  await rm(target, { recursive: true, force: true });
  const filter = (path: string) => basename(path) !== '__pycache__';
  await cp(worker, join(target, basename(worker)), { recursive: true, filter });
}

/** The packages in an environment, by name, with their versions. */
export type Installed = ReadonlyMap<string, string>;

/** What is installed in an environment. */
export async function installedIn(environment: string): Promise<Installed> {
  const lib = join(environment, 'lib');
  const pythons = await readdir(lib).catch(() => []);
  const names = await Promise.all(
    pythons.map((one) => readdir(join(lib, one, 'site-packages')).catch(() => [])),
  );
  return new Map(
    names.flat().flatMap((one) => {
      const [, name = '', version = ''] = /^(.+?)-([^-]+)\.dist-info$/.exec(one) ?? [];
      return name === '' ? [] : [[name.toLowerCase().replaceAll('_', '-'), version] as const];
    }),
  );
}

/** What an installation has changed, for people: packages of the project in other versions, and new ones. */
export function changesOf(before: Installed, after: Installed): string[] {
  const raised = [...after]
    .filter(([name, version]) => before.has(name) && before.get(name) !== version)
    .map(([name, version]) => `${name} ${before.get(name)} -> ${version}`);
  const added = [...after]
    .filter(([name]) => !before.has(name))
    .map(([name, version]) => `${name} ${version}`);
  return [
    ...(raised.length === 0
      ? []
      : [`For the durable agent server these are not as the project has them: ${raised.sort().join(', ')}`]),
    ...(added.length === 0 ? [] : [`The durable agent server adds ${added.sort().join(', ')}`]),
  ];
}

/** A resolver's words for versions that do not go together. */
export const NO_SOLUTION = /no solution found/i;

/** Why the worker's packages cannot be installed beside those of the project. */
export function conflict(before: Installed): NotDurable {
  const has = before.get('langgraph');
  const version = has === undefined ? '' : ` (by itself it has langgraph ${has})`;
  return new NotDurable(
    `The durable agent server needs langgraph ${LANGGRAPH_OLDEST} or later (${DURABLE_PACKAGES.join(', ')}), which does not go together with what the project asks for${version}: see above. Let the project take newer versions, or set source_config.runtime to 'dev'`,
    true,
  );
}
