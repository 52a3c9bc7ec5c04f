import { access, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Cacheable, nodeModulesKey } from './cache-key.ts';
import { type ProjectFacts, planInstall, type StepPlan } from './commands.ts';
import type { DependencyCache } from './dependency-cache.ts';
import type { AgentProject } from './langgraph/config.ts';
import { runStep, type StepContext } from './run-step.ts';

/** Tried together with the examples; newer ones do not all install everywhere. */
const DEV_SERVER = '@langchain/langgraph-cli@1.4.5';
const DEV_SERVER_TOOL = 'langgraphjs';
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
  /** Set for an agent project: it gets a dev server if it brings none. */
  agent: AgentProject | undefined;
};

/** Tells the cache that the build is over. */
export type AfterBuild = () => Promise<void>;

/** Installs what package.json asks for, from what was installed for the same request before where possible. */
export async function installJavaScript(
  context: StepContext,
  request: JavaScriptInstall,
): Promise<AfterBuild> {
  const { folder, root, installCommand, cache, agent } = request;
  const facts = agent === undefined ? request.facts : await withWorkspaceLockfile(request);
  const plan = planInstall(facts, installCommand);
  const cacheable = await isCacheable(request, plan);
  const modules = join(folder, 'node_modules');
  if ('key' in cacheable) {
    const stored = await cache.restore(cacheable.key, modules);
    if (stored !== undefined) {
      context.log.say(`Cache hit: node_modules as installed on ${stored.toISOString()} for the same request`);
      return afterUse(context, request, cacheable);
    }
  }
  await runStep(context, step(request, plan));
  if (agent !== undefined && !(await hasTool(folder, root))) await addDevServer(context, request, facts);
  if (!('key' in cacheable)) {
    if (plan.do === 'run')
      context.log.say(`What was installed is not kept for the next build: ${cacheable.not}`);
    return async () => undefined;
  }
  if (await cache.store(cacheable.key, modules)) context.log.say('Kept node_modules for the next build');
  return afterUse(context, request, cacheable);
}

function afterUse(
  { log }: StepContext,
  { cache }: JavaScriptInstall,
  { key }: Extract<Cacheable, { key: unknown }>,
): AfterBuild {
  return async () => {
    if (await cache.dropIfChanged(key))
      log.say('The build changed installed files in place, so they are not kept for the next build');
  };
}

const step = ({ folder, environment }: JavaScriptInstall, plan: StepPlan) => ({
  name: 'install',
  plan,
  cwd: folder,
  environment,
});

async function isCacheable(request: JavaScriptInstall, plan: StepPlan): Promise<Cacheable> {
  const { facts, folder, installCommand, agent } = request;
  if (installCommand) return { not: 'the install command is the project’s own' };
  if (plan.do !== 'run') return { not: 'nothing is installed' };
  if (facts.files.has('node_modules')) return { not: 'the source has a node_modules of its own' };
  if (await inWorkspace(request)) return { not: 'it may belong to a workspace of the folder above' };
  return nodeModulesKey(folder, plan.command, agent === undefined ? '' : DEV_SERVER);
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

async function hasTool(folder: string, root: string): Promise<boolean> {
  const folders = [folder, ...foldersAbove({ folder, root })];
  const found = await Promise.all(
    folders.map((one) =>
      access(join(one, 'node_modules', '.bin', DEV_SERVER_TOOL)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

/** Beside what is installed, so that both use the same copies of the libraries that they share. */
async function addDevServer(
  context: StepContext,
  request: JavaScriptInstall,
  facts: ProjectFacts,
): Promise<void> {
  context.log.say(
    `The project does not bring ${DEV_SERVER.slice(0, DEV_SERVER.lastIndexOf('@'))}, which runs its graphs: adding ${DEV_SERVER}`,
  );
  const detected = planInstall(facts, undefined);
  const command = detected.do === 'run' ? detected.command : 'npm install';
  const plan: StepPlan = { do: 'run', command: addCommand(command) };
  await runStep(context, step(request, plan));
}

/** npm can leave package.json and its lockfile as they are; of the others these are copies of the source anyway. */
function addCommand(install: string): string {
  if (install.startsWith('npm ')) return `npm install --no-save ${DEV_SERVER}`;
  const manager = install.replace(/ install .*$/, '');
  return `${manager} add ${manager.includes('pnpm') ? '--save-dev' : '--dev'} ${DEV_SERVER}`;
}
