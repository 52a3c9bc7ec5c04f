import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { AgentProject } from './agent-project.ts';
import { BuildFailure } from './failure.ts';
import { type BuildStep, quote } from './plan.ts';
import { isFile } from './project.ts';
import type { LocalDependency, PythonDependencies } from './python-dependencies.ts';
import { DURABLE_PACKAGES, LANGGRAPH_OLDEST } from './versions.ts';

/** Throws BuildFailure where Slipway's own server cannot run what a source holds. */
export function requireDurable(agent: AgentProject | undefined, configPath: string): void {
  const way = "set source_config.runtime to 'auto'";
  if (agent === undefined)
    throw new BuildFailure(
      `The runtime 'durable' runs the graphs of ${configPath}, which names none; ${way}`,
    );
  if (agent.language !== 'python')
    throw new BuildFailure(`The runtime 'durable' runs graphs in Python alone so far; ${way}`);
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
export function conflict(before: Installed): BuildFailure {
  const has = before.get('langgraph');
  const version = has === undefined ? '' : ` (by itself it has langgraph ${has})`;
  return new BuildFailure(
    `The durable agent server needs langgraph ${LANGGRAPH_OLDEST} or later (${DURABLE_PACKAGES.join(', ')}), which does not go together with what the project asks for${version}: see above. Let the project take newer versions, or set source_config.runtime to 'dev'`,
    true,
  );
}
