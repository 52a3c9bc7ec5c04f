import { basename, join, relative, resolve } from 'node:path';
import {
  firstProblem,
  type GraphSource,
  graphSources,
  type LanggraphJson,
  langgraphJson,
  languageOf,
  languageOfGraph,
} from '../contract/deployments/langgraph-json.ts';
import { jsonErrorOffset, jsonErrorPlace } from '../contract/validation/json-position.ts';
import { BuildFailure } from './failure.ts';
import type { BuildPlan } from './plan.ts';
import { isFile, isInside, readOwn } from './project.ts';

/** An agent project: everything it names is relative to `folder`, the one of its config file. */
export type AgentProject = {
  language: 'javascript' | 'python';
  config: LanggraphJson;
  folder: string;
  /** The whole source, which nothing may lead out of. */
  root: string;
  /** The config file's name and text. */
  fileName: string;
  text: string;
};

/**
 * What a config file says, as far as it was read; undefined when there is no such file, or it describes no
 * agent.
 */
export type ConfigFile = { fileName: string; text: string; json: object };

/** Reasons may quote the source only where somebody takes secret values out of them. */
export type Quotes = { mayQuote: boolean };

/**
 * Reads the config file of a project; undefined when it describes no agent. Throws BuildFailure when it
 * cannot be read. Nothing is checked of it: of an image the agent's own tool decides what it may say.
 */
export async function readAgentConfig(
  root: string,
  folder: string,
  configPath: string,
  quotes: Quotes,
): Promise<ConfigFile | undefined> {
  const fileName = basename(configPath);
  if (!fileName.endsWith('.json')) return undefined;
  const text = await readOwn(root, join(folder, fileName));
  return text === undefined ? undefined : agentConfigIn(fileName, text, quotes);
}

/** What the text of a config file says; undefined when it describes no agent. Throws BuildFailure as reading it does. */
export function agentConfigIn(fileName: string, text: string, quotes: Quotes): ConfigFile | undefined {
  const json = parseObject(fileName, text, quotes);
  const describesAgent = 'graphs' in json && json.graphs !== undefined && json.graphs !== null;
  return describesAgent ? { fileName, text, json } : undefined;
}

/**
 * Reads the agent project in a folder; undefined when it is none. Throws BuildFailure when its config file
 * cannot be used.
 */
export async function readAgentProject(
  root: string,
  folder: string,
  configPath: string,
  quotes: Quotes,
): Promise<AgentProject | undefined> {
  const file = await readAgentConfig(root, folder, configPath, quotes);
  if (file === undefined) return undefined;
  const { fileName, text } = file;
  const { config, language } = checkedAgent(file);
  if (language === 'mixed') throw new BuildFailure(mixedReason(fileName, text, config));
  refuseDockerfileLines(fileName, text, config, quotes);
  return { language, config, folder, root, fileName, text };
}

/** What a config file says of an agent. Throws BuildFailure for one that cannot be used, and without graphs. */
export function checkedAgent(file: ConfigFile): {
  config: LanggraphJson;
  language: ReturnType<typeof languageOf>;
} {
  const config = checked(file);
  if (Object.keys(config.graphs ?? {}).length === 0)
    throw new BuildFailure(`${file.fileName}: graphs is empty`);
  return { config, language: languageOf(config) };
}

function parseObject(fileName: string, text: string, { mayQuote }: Quotes): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    const line = text.split('\n')[text.slice(0, jsonErrorOffset(text)).split('\n').length - 1] ?? '';
    const said = mayQuote ? `: ${quoted(line)}` : '';
    throw new BuildFailure(`${fileName} is not valid JSON at ${jsonErrorPlace(text)}${said}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new BuildFailure(`${fileName} is not a JSON object`);
  return parsed;
}

function checked({ fileName, text, json }: ConfigFile): LanggraphJson {
  const result = langgraphJson.safeParse(json);
  if (result.success) return result.data;
  const keys = result.error.issues[0]?.path.map(String) ?? [];
  throw new BuildFailure(`${fileName}${place(text, keys.at(-1))}: ${firstProblem(result.error)}`);
}

const quoted = (line: string): string => `\`${line.trim().slice(0, 200)}\``;

/** ` line 4`, where the text has this JSON string; nothing when it cannot be found. */
function place(text: string, value: string | undefined): string {
  const at = value === undefined ? -1 : text.indexOf(JSON.stringify(value));
  return at === -1 ? '' : ` line ${text.slice(0, at).split('\n').length}`;
}

function mixedReason(fileName: string, text: string, config: LanggraphJson): string {
  const graphs = graphSources(config);
  const of = (language: string) => graphs.find((one) => languageOfGraph(one) === language);
  const where = place(text, of('python')?.id);
  return `${fileName}${where}: graph '${of('python')?.id}' is Python and '${of('javascript')?.id}' is JavaScript; one agent server runs one language, so deploy them separately`;
}

function refuseDockerfileLines(
  fileName: string,
  text: string,
  config: LanggraphJson,
  { mayQuote }: Quotes,
): void {
  const [line] = config.dockerfile_lines ?? [];
  if (line === undefined) return;
  const said = mayQuote ? ` (${quoted(line)})` : '';
  throw new BuildFailure(
    `${fileName}${place(text, 'dockerfile_lines')}: dockerfile_lines${said} change a container image, and this build makes none: a listener of type process runs the project's folder itself. Remove them, or deploy an image`,
  );
}

/**
 * A Python graph may also be a module that is installed, such as `my_package.graph`; which one that is only
 * Python knows.
 */
const isModule = (graph: GraphSource): boolean =>
  languageOfGraph(graph) === 'python' && !graph.file.includes('/') && !graph.file.endsWith('.py');

/**
 * The files that graphs name, each with the reason to fail for when it is not there, which tells the line
 * that names it. `hint`: what else may make it. Throws BuildFailure for one that leads out of the source.
 */
export function filesOfGraphs(
  { config, root, folder, fileName, text }: Omit<AgentProject, 'language'>,
  hint = '',
): BuildPlan['requires'] {
  return graphSources(config)
    .filter((one) => !isModule(one))
    .map((graph) => {
      const file = resolve(folder, graph.file);
      const where = `${fileName}${place(text, graph.id)}: graph '${graph.id}' names ${graph.file}`;
      if (!isInside(root, file)) throw new BuildFailure(`${where}, which leads out of the source`);
      const path = relative(root, file);
      return {
        path,
        reason: `${where}, but there is no file ${path} in the source or made by the build${hint}`,
      };
    });
}

/** The dotenv file that the config names but that is not there: often it is ignored by git on purpose. */
export async function missingEnvFile({ config, folder }: AgentProject): Promise<string | undefined> {
  if (typeof config.env !== 'string' || (await isFile(resolve(folder, config.env)))) return undefined;
  return config.env;
}
