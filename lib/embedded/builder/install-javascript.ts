import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type AfterBuild, dropIfChanged } from './after-build.ts';
import { type Cacheable, nodeModulesKey } from './cache-key.ts';
import { type ProjectFacts, planInstall, type StepPlan } from './commands.ts';
import type { DependencyCache } from './dependency-cache.ts';
import { provideAgentServer } from './langgraph/agent-server.ts';
import type { AgentProject } from './langgraph/config.ts';
import { runStep, type StepContext } from './run-step.ts';

/** These are looked for above the project's folder too: there they are of the workspace that it belongs to. */
const WORKSPACE_LOCKFILES = ['pnpm-lock.yaml', 'yarn.lock'];

export type JavaScriptInstall = {
  folder: string;
  /** The whole source. */
  root: string;
  /** What was found in the folder. */
  facts: ProjectFacts;
  /** The client's own; what it installs is never kept. */
  installCommand: string | undefined;
  environment: Record<string, string>;
  cache: DependencyCache;
  /** Set for an agent project: it gets an agent server if it brings none. */
  agent: AgentProject | undefined;
};

/** Installs what package.json asks for, from what was installed for the same request before where possible. */
export async function installJavaScript(
  context: StepContext,
  request: JavaScriptInstall,
): Promise<AfterBuild> {
  const ownAfterBuild = await installOwn(context, request);
  if (request.agent === undefined) return ownAfterBuild;
  const folders = [request.folder, ...foldersAbove(request)];
  const serverAfterBuild = await provideAgentServer(context, request, folders);
  return async () => {
    await ownAfterBuild();
    await serverAfterBuild();
  };
}

/** What package.json asks for. */
async function installOwn(context: StepContext, request: JavaScriptInstall): Promise<AfterBuild> {
  const { folder, installCommand, cache, agent } = request;
  const facts = agent === undefined ? request.facts : await withWorkspaceLockfile(request);
  const plan = planInstall(facts, installCommand);
  const cacheable = await isCacheable(request, plan);
  const modules = join(folder, 'node_modules');
  if ('not' in cacheable) {
    await runStep(context, step(request, plan));
    if (plan.do === 'run')
      context.log.say(`What was installed is not kept for the next build: ${cacheable.not}`);
    return async () => undefined;
  }
  const stored = await cache.restore(cacheable.key, modules);
  if (stored !== undefined) {
    context.log.say(`Cache hit: node_modules as installed on ${stored.toISOString()} for the same request`);
    return dropIfChanged(context, cache, cacheable.key);
  }
  await runStep(context, step(request, plan));
  if (await cache.store(cacheable.key, modules)) context.log.say('Kept node_modules for the next build');
  return dropIfChanged(context, cache, cacheable.key);
}

const step = ({ folder, environment }: JavaScriptInstall, plan: StepPlan) => ({
  name: 'install',
  plan,
  cwd: folder,
  environment,
});

async function isCacheable(request: JavaScriptInstall, plan: StepPlan): Promise<Cacheable> {
  const { facts, folder, installCommand } = request;
  if (installCommand) return { not: 'the install command is the project’s own' };
  if (plan.do !== 'run') return { not: 'nothing is installed' };
  if (facts.files.has('node_modules')) return { not: 'the source has a node_modules of its own' };
  if (await inWorkspace(request)) return { not: 'it may belong to a workspace of the folder above' };
  return nodeModulesKey(folder, plan.command);
}

/** The folders above the project, up to the root of the source. */
function foldersAbove({ folder, root }: Pick<JavaScriptInstall, 'folder' | 'root'>): string[] {
  const folders: string[] = [];
  for (let at = folder; at !== root && at !== dirname(at); ) {
    at = dirname(at);
    folders.push(at);
  }
  return folders;
}

async function inWorkspace(request: JavaScriptInstall): Promise<boolean> {
  const files = await Promise.all(foldersAbove(request).map((folder) => readdir(folder)));
  return files.flat().includes('package.json');
}

async function withWorkspaceLockfile(request: JavaScriptInstall): Promise<ProjectFacts> {
  const { facts } = request;
  const own = [...facts.files].some((name) =>
    /^(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock)$/.test(name),
  );
  if (own) return facts;
  const above = (await Promise.all(foldersAbove(request).map((folder) => readdir(folder)))).flat();
  return {
    ...facts,
    files: new Set([...facts.files, ...above.filter((name) => WORKSPACE_LOCKFILES.includes(name))]),
  };
}
