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
import { detectServer } from '../detect/detect.ts';
import { readSourceFiles } from '../detect/source-files.ts';
import { BuildFailure } from '../failure.ts';
import { planProject } from '../plan-project.ts';
import { findBuildFolder, pathWithin, readPackageJson } from '../project.ts';
import { withVariables } from './bound.ts';
import { type ImageSource, prepareDescription } from './described.ts';
import { serverDockerfile } from './dockerfiles.ts';
import type { Machine } from './machine.ts';
import { imagePlace, writePlanned } from './planned.ts';
import { say } from './report.ts';
import { ownFile, refuseControlCharacters } from './source/paths.ts';

/**
 * Decides what the image is made of: the project's own Dockerfile, what the agent's own tool says, or the
 * start script. The result makes what is missing, which may need docker. Throws BuildFailure when there is
 * nothing to make an image of.
 */
export async function planImage(machine: Machine): Promise<() => Promise<ImageSource>> {
  const { job, source } = machine;
  const root = await realpath(source);
  const folder = await findBuildFolder(root, job.configPath, job.rootDirectory);
  refuseControlCharacters(folder, `The folder of config path '${job.configPath}'`);
  const config = await readAgentConfig(root, folder, job.configPath, { mayQuote: false });
  const language = config === undefined ? undefined : languageOfImage(config);
  const dockerfile = await ownFile(root, join(folder, 'Dockerfile'));
  // Such a build may ask git for its commit; what else is deployed carries no history.
  if (dockerfile !== undefined) {
    say('This source has a Dockerfile: it is built as it is, and what it starts is its own');
    return async () => ({ dockerfile, context: folder, contexts: {}, server: 'other' });
  }
  const forget = () => rm(join(source, '.git'), { recursive: true, force: true });
  if (config !== undefined && language !== undefined) {
    refuseWithoutNeeds(machine, config.json);
    const describe = await prepareDescription(machine, { root, folder, isScript: language === 'javascript' });
    return async () => {
      const described = await describe();
      await forget();
      return described;
    };
  }
  const packageJson = await readPackageJson(root, folder);
  if (!packageJson?.scripts.start) throw new BuildFailure(await nothingToBuild(root, folder));
  const { installCommand, buildCommand, startCommand } = job;
  const plan = await planProject(
    { root, folder, agent: undefined, installCommand, buildCommand, startCommand },
    imagePlace,
  );
  for (const { text } of plan.notes) say(text);
  if (plan.release !== undefined)
    say(`WARNING: \`${plan.release}\` is not run for an image: run it in start_command, or beside Slipway`);
  const planned = await writePlanned(
    machine.work,
    plan,
    withVariables(machine, serverDockerfile(), 'steps'),
    false,
  );
  return async () => {
    await forget();
    const contexts = { slipway: planned.folder };
    return { dockerfile: planned.dockerfile, context: root, contexts, server: plan.server };
  };
}

/** Why no image is made: a server of another kind than Node.js runs as it is on a machine. */
async function nothingToBuild(root: string, folder: string): Promise<string> {
  const nothing =
    'There is nothing to build an image from: no Dockerfile, no config with graphs and no start script in package.json';
  const files = await readSourceFiles(root, folder);
  const found = detectServer({ files, folder: pathWithin(root, folder), tools: imagePlace.tools });
  if (found === undefined || 'refused' in found) return nothing;
  return `${nothing}. Found: ${found.what} (${found.file}), which a listener of the type process runs as it is; for an image add a Dockerfile that starts \`${found.line}\``;
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
