import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_SERVER_FOLDER } from '../../../contract/langgraph-json.ts';
import { type AfterBuild, dropIfChanged } from '../after-build.ts';
import { cacheKey } from '../cache-key.ts';
import type { StepPlan } from '../commands.ts';
import type { JavaScriptInstall } from '../install-javascript.ts';
import { runStep, type StepContext } from '../run-step.ts';

const PACKAGE = '@langchain/langgraph-cli';
/** Tried together with the examples; newer ones do not all install everywhere. */
const VERSION = '1.4.5';
const TOOL = 'langgraphjs';

/**
 * Installs the agent server of a project in JavaScript that brings none in `folders`. It gets a folder of its own, always by npm,
 * so that the project's dependencies and its lockfile stay as they are; and one tree serves all builds.
 */
export async function provideAgentServer(
  context: StepContext,
  request: JavaScriptInstall,
  folders: readonly string[],
): Promise<AfterBuild> {
  const { cache, root } = request;
  if (await brings(folders)) return async () => undefined;
  const folder = join(root, AGENT_SERVER_FOLDER);
  const modules = join(folder, 'node_modules');
  // Its version alone decides: which versions of its own dependencies it gets is settled by the first install.
  const key = cacheKey(['agent-server', process.version, VERSION], true);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const says = `The project does not bring ${PACKAGE}, which runs its graphs: adding ${PACKAGE}@${VERSION} in ${AGENT_SERVER_FOLDER}`;
  const stored = await cache.restore(key, modules);
  if (stored === undefined) {
    context.log.say(says);
    await install(context, request, folder);
    await cache.store(key, modules);
  } else {
    context.log.say(`${says}, as installed on ${stored.toISOString()}`);
  }
  return dropIfChanged(context, cache, key);
}

async function brings(folders: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    folders.map((folder) =>
      access(join(folder, 'node_modules', '.bin', TOOL)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

async function install(
  context: StepContext,
  { facts, environment }: JavaScriptInstall,
  folder: string,
): Promise<void> {
  // Where npm finds a package.json it looks no further up for a project to change.
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
  const plan: StepPlan = facts.tools.has('npm')
    ? { do: 'run', command: `npm install --no-save --no-package-lock ${PACKAGE}@${VERSION}` }
    : { do: 'fail', reason: 'npm is not installed on this machine, and the agent server comes by it' };
  await runStep(context, { name: 'install', plan, cwd: folder, environment });
}
