import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import {
  firstProblem,
  type LanggraphJson,
  langgraphJson,
  languageOf,
} from '../../contract/deployments/langgraph-json.ts';
import { describeFailure } from '../../domain/agent-failure.ts';
import { readAgentConfig } from '../agent-project.ts';
import { BuildFailure } from '../failure.ts';
import { filesOfInstall } from '../install-inputs.ts';
import { type PlanRequest, planProject } from '../plan-project.ts';
import { findBuildFolder, readPackageJson } from '../project.ts';
import { withVariables } from './bound.ts';
import { type ImageSource, prepareDescription } from './described.ts';
import { serverDockerfile } from './dockerfiles.ts';
import type { Machine } from './machine.ts';
import { imagePlace, writePlanned } from './planned.ts';
import { say } from './report.ts';
import { ownFile, refuseControlCharacters } from './source/paths.ts';
import { toolsetOf } from './toolchains.ts';

/**
 * Decides what the image is made of: the project's own Dockerfile, what the agent's own tool says, or the
 * plan that a machine would make. The result makes what is missing, which may need docker. Throws
 * BuildFailure when there is nothing to start.
 */
export async function planImage(machine: Machine): Promise<() => Promise<ImageSource>> {
  const { job, source } = machine;
  const root = await realpath(source);
  const folder = await findBuildFolder(root, job.configPath, job.rootDirectory);
  refuseControlCharacters(folder, `The folder of config path '${job.configPath}'`);
  const config = await readAgentConfig(root, folder, job.configPath, { mayQuote: false });
  const language = config === undefined ? undefined : languageOfImage(config);
  const own = await ownDockerfile(job, root, folder);
  if (own !== undefined) return async () => own;
  if (config !== undefined && language !== undefined) {
    refuseWithoutNeeds(machine, config.json);
    const describe = await prepareDescription(machine, { root, folder, isScript: language === 'javascript' });
    return async () => {
      const described = await describe();
      await rm(join(source, '.git'), { recursive: true, force: true });
      return described;
    };
  }
  const image = await planServerImage(machine, { root, folder });
  // Its commands may ask git for their version; the last step of the build takes the repository away.
  return async () => image;
}

/**
 * The project's own Dockerfile, which is built as it is: such a build may ask git for its commit. It lies
 * beside the config file, or where a path from `rootDirectory` says, which then is what is built from.
 * Throws BuildFailure for one that is named and not there.
 */
async function ownDockerfile(
  { rootDirectory = '.', dockerfilePath, dockerTarget: target }: Machine['job'],
  root: string,
  folder: string,
): Promise<ImageSource | undefined> {
  const path = dockerfilePath ?? 'Dockerfile';
  const context = dockerfilePath === undefined ? folder : await realpath(join(root, rootDirectory));
  const dockerfile = await ownFile(root, join(context, path));
  if (dockerfile === undefined) {
    if (dockerfilePath !== undefined)
      throw new BuildFailure(`dockerfile_path '${dockerfilePath}' names no file of the source`);
    if (target !== undefined)
      throw new BuildFailure(`docker_target '${target}' names a stage, but the source has no Dockerfile`);
    return undefined;
  }
  refuseControlCharacters(dockerfile, `dockerfile_path '${path}'`);
  const stage = target === undefined ? '' : `, up to its stage ${target}`;
  say(`This source has a Dockerfile (${path}): it is built as it is${stage}, and what it starts is its own`);
  return { dockerfile, context, contexts: {}, ...(target && { target }), server: 'other' };
}

/** The image of a server of any kind: the plan that a machine would make, carried out in a Dockerfile of ours. */
async function planServerImage(
  machine: Machine,
  { root, folder }: { root: string; folder: string },
): Promise<ImageSource> {
  const { installCommand, buildCommand, startCommand } = machine.job;
  const request: PlanRequest = { root, folder, agent: undefined, installCommand, buildCommand, startCommand };
  const plan = await planProject(request, imagePlace);
  for (const { text } of plan.notes) say(text);
  if (plan.release !== undefined)
    say(`WARNING: \`${plan.release}\` is not run for an image: run it in start_command, or beside Slipway`);
  const inputs = await filesOfInstall(request, plan);
  const tools = toolsetOf(plan, await readPackageJson(root, folder), plan.node);
  const dockerfile = withVariables(machine, serverDockerfile(tools, inputs !== undefined), 'steps');
  const given = (inputs ?? []).map((path) => ({ path, from: join(root, path) }));
  const planned = await writePlanned(machine.work, plan, dockerfile, { inputs: given });
  const contexts = { slipway: planned.folder };
  return { dockerfile: planned.dockerfile, context: root, contexts, server: plan.server };
}

/** LangChain's own images, which the agent's tool takes unless the config file names another one. */
const LICENSED = /^(?:docker\.io\/)?langchain\/langgraph(?:js)?-(?:api|server)(?:[:@]|$)/;

/**
 * Says what the server of the image would be without, before minutes of installing and building. Throws
 * BuildFailure when it could not start for that. Lines of a Dockerfile in the config file may bring a
 * licence.
 */
function refuseWithoutNeeds({ job: { serverLacks } }: Machine, config: object): void {
  if (serverLacks === undefined) return;
  const { stores, isAll } = serverLacks;
  const { base_image: base, dockerfile_lines: lines } = baseOf.parse(config);
  const licence = serverLacks.licence && (base === undefined || LICENSED.test(base));
  if (stores.length === 0 && !licence) return;
  const said = describeFailure({ kind: 'needs_missing', stores, licence });
  if (stores.length > 0 || (isAll && lines === undefined)) throw new BuildFailure(said.replace(/\.$/, ''));
  say(`WARNING: ${said}`);
}

/** As far as it is well formed: the agent's own tool says what is wrong with it. */
const baseOf = z.object({
  base_image: z.string().min(1).optional().catch(undefined),
  dockerfile_lines: z.array(z.unknown()).min(1).optional().catch(undefined),
});

/** Of an image the agent's own tool decides what else its config file may say. */
function languageOfImage({
  fileName,
  json,
}: {
  fileName: string;
  json: object;
}): ReturnType<typeof languageOf> {
  const checked = langgraphJson.pick({ graphs: true }).safeParse(json);
  if (!checked.success) throw new BuildFailure(`${fileName}: ${firstProblem(checked.error)}`);
  const config: LanggraphJson = checked.data;
  if (Object.keys(config.graphs ?? {}).length === 0) throw new BuildFailure(`${fileName}: graphs is empty`);
  return languageOf(config);
}
