import { join } from 'node:path';
import { installPart, isNeeded, preparePart, type Site } from '../../builds/execute.ts';
import type { BuildPlan, InstallPart } from '../../builds/plan.ts';
import type { PlanRequest } from '../../builds/plan-project.ts';
import { sealVenv } from '../../builds/seal.ts';
import type { BuildVariables } from '../../builds/variables.ts';
import { JAVASCRIPT_SERVER } from '../../builds/versions.ts';
import { openPythonEnvironment } from '../../processes/python/environment.ts';
import { type Cacheable, cacheKey, nodeModulesKey, withVariables } from './cache-key.ts';
import type { DependencyCache } from './dependency-cache.ts';
import { serverVenvKey, venvKey } from './python-cache-key.ts';

export type Installation = {
  site: Site;
  plan: BuildPlan;
  request: PlanRequest;
  cache: DependencyCache;
  /** What the client adds to the environment that is installed in. */
  variables: BuildVariables;
};

/** Tells the cache that the build is over. */
export type AfterBuild = () => Promise<void>;

/** Installs all parts of a plan, each from what was installed for the same request before where possible. */
export async function install(installation: Installation): Promise<AfterBuild> {
  const { site, plan } = installation;
  const ends: AfterBuild[] = [];
  for (const part of plan.install)
    if (await isNeeded(site, part)) ends.push(await installOrRestore(installation, part));
  return async () => {
    for (const end of ends) await end();
  };
}

async function installOrRestore(installation: Installation, part: InstallPart): Promise<AfterBuild> {
  const { site, plan, cache } = installation;
  const target = join(site.root, part.makes);
  const cacheable = await keyOf(installation, part);
  const name = part.makes.split('/').at(-1);
  await preparePart(site, part);
  if ('not' in cacheable) {
    await installPart(site, plan, part);
    if (part.steps.some((step) => step.do === 'run'))
      site.say(`What was installed is not kept for the next build: ${cacheable.not}`);
    return async () => undefined;
  }
  const { key } = cacheable;
  const stored = await cache.restore(key, target);
  if (stored !== undefined) {
    const when = `as installed on ${stored.toISOString()}`;
    site.say(
      part.says === undefined ? `Cache hit: ${name} ${when} for the same request` : `${part.says}, ${when}`,
    );
    if (part.kind === 'venv') await openPythonEnvironment(target, site.root, site.environment.PATH ?? '');
  } else {
    await installPart(site, plan, part);
    if ((await keep(installation, part, target, key)) && part.says === undefined)
      site.say(`Kept ${name} for the next build`);
  }
  // A build can change files of an installed tree in place, and the cache shares them: then the tree is not
  // used again.
  return async () => {
    if (await cache.dropIfChanged(key))
      site.say('The build changed installed files in place, so they are not kept for the next build');
  };
}

/** An environment is kept sealed: what another build gets lies elsewhere. */
async function keep(
  installation: Installation,
  part: InstallPart,
  target: string,
  key: Parameters<DependencyCache['store']>[0],
): Promise<boolean> {
  const { site, cache, plan } = installation;
  if (part.kind !== 'venv' || plan.venv === undefined) return cache.store(key, target);
  await sealVenv(site.root, plan.venv);
  const isKept = await cache.store(key, target);
  await openPythonEnvironment(target, site.root, site.environment.PATH ?? '');
  return isKept;
}

async function keyOf(installation: Installation, part: InstallPart): Promise<Cacheable> {
  const { buildEnv, buildSecrets } = installation.variables;
  if (buildSecrets.length > 0) return { not: 'what is installed may hold secrets of the build' };
  const cacheable = await keyOfFiles(installation, part);
  return 'not' in cacheable || buildEnv.length === 0
    ? cacheable
    : { key: withVariables(cacheable.key, buildEnv) };
}

async function keyOfFiles({ request, plan }: Installation, part: InstallPart): Promise<Cacheable> {
  const { agent, installCommand } = request;
  // Its version alone decides: which versions of its own dependencies it gets is settled by the first
  // install.
  if (part.kind === 'agent-server')
    return { key: cacheKey(['agent-server', process.version, JAVASCRIPT_SERVER], true) };
  if (installCommand) return { not: 'the install command is the project’s own' };
  if (part.kind === 'venv' && plan.venv !== undefined)
    return agent === undefined
      ? serverVenvKey(request, part, plan.venv)
      : venvKey(agent, plan.venv.python, plan);
  return packagesKey(request, part);
}

async function packagesKey(request: PlanRequest, { steps }: InstallPart): Promise<Cacheable> {
  const [step] = steps;
  return step?.do === 'run' ? nodeModulesKey(request, step.command) : { not: 'nothing is installed' };
}
