import { mkdir } from 'node:fs/promises';
import type { Site } from '../../builds/execute.ts';
import { BuildFailure } from '../../builds/failure.ts';
import { type BuildPlan, quote } from '../../builds/plan.ts';
import {
  type BuildHost,
  findProject,
  type PlanRequest,
  planProject,
  type Wanted,
} from '../../builds/plan-project.ts';
import { toolsOn } from '../../builds/project.ts';
import type { Interpreter, PythonWish } from '../../builds/python.ts';
import { PYTHONS } from '../../builds/versions.ts';
import { missingPython } from '../../processes/python/environment.ts';
import { findPython, findPythons } from '../../processes/python/interpreters.ts';
import { findUv } from './uv.ts';

type PythonSite = Pick<Site, 'root' | 'environment' | 'say' | 'run'>;
type Planned = { request: PlanRequest; plan: BuildPlan; tools: ReadonlySet<string> };

/**
 * Decides how the source of a site is built with what is on this machine. Throws BuildFailure when it cannot
 * be.
 */
export async function planHere(site: PythonSite, wanted: Wanted, toolsFolder: string): Promise<Planned> {
  const path = site.environment.PATH ?? '';
  const request = await findProject(site.root, wanted, { mayQuote: true });
  const tools = await toolsOn(path);
  const [nodeMajor = ''] = process.versions.node.split('.');
  const python = (wish: PythonWish) => choosePython(wish, site, toolsFolder);
  const host: BuildHost = { tools, nodeMajor, nodeMajors: [nodeMajor], python };
  return { request, tools, plan: await planProject(request, host) };
}

/** The interpreter that a project asks for: what is on this machine, else what uv can install. */
async function choosePython(wish: PythonWish, site: PythonSite, toolsFolder: string): Promise<Interpreter> {
  const path = site.environment.PATH ?? '';
  if (wish.version !== undefined) {
    const exact = await findPython(wish.version, path);
    if (exact !== undefined) return exact;
  }
  const pythons = await findPythons(path);
  const any = wish.version === undefined ? pythons.find(({ version }) => wish.fits(version)) : undefined;
  if (any !== undefined) return any;
  const version = wish.version ?? PYTHONS.find(wish.fits);
  const missing = missingPython(version ?? 'of that kind', pythons);
  if (version === undefined) throw new BuildFailure(`${wish.from}: ${missing}`);
  const uv = await findUv(site, pythons[0]?.executable, toolsFolder);
  const failed =
    uv === undefined ? 'there is no uv to install it' : await installPython(uv, version, site, toolsFolder);
  const installed = failed === undefined ? await findPython(version, path) : undefined;
  if (installed !== undefined) return installed;
  throw new BuildFailure(`${wish.from}: ${missing}; ${failed ?? 'uv has installed it, but it does not run'}`);
}

/** Resolves with why uv could not install an interpreter; undefined when it did. */
async function installPython(
  uv: string,
  version: string,
  site: PythonSite,
  toolsFolder: string,
): Promise<string | undefined> {
  site.say(`Python ${version} is not on this machine: uv installs it`);
  const own = Object.fromEntries(
    ['UV_PYTHON_INSTALL_MIRROR', 'UV_PYTHON_INSTALL_DIR'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  // Not in the source, which must not say where interpreters of this machine come from.
  await mkdir(toolsFolder, { recursive: true });
  let said = '';
  const failed = await site.run({
    name: 'install',
    line: `${quote(uv)} python install --no-progress --no-bin ${version}`,
    cwd: toolsFolder,
    environment: { ...site.environment, ...own },
    onLine: (line) => {
      said = line.trim() || said;
    },
  });
  return failed === undefined ? undefined : `uv could not install it: ${said || 'it says no reason'}`;
}
