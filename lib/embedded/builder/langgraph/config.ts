import { readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import {
  firstProblem,
  type GraphSource,
  graphSources,
  type LanggraphJson,
  langgraphJson,
  languageOf,
  languageOfGraph,
} from '../../../contract/langgraph-json.ts';
import { jsonErrorOffset, jsonErrorPlace } from '../../../http/json-position.ts';
import { BuildFailure } from '../failure.ts';
import { isInside } from '../project.ts';

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

/** Reads the agent project in a folder; undefined when it is none. Throws BuildFailure when its config file cannot be used. */
export async function readAgentProject(
  root: string,
  folder: string,
  configPath: string,
): Promise<AgentProject | undefined> {
  const fileName = basename(configPath);
  if (!fileName.endsWith('.json')) return undefined;
  const text = await readFile(join(folder, fileName), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const config = parseConfig(fileName, text);
  if (config.graphs === undefined || config.graphs === null) return undefined;
  const language = languageOf(config);
  if (language === 'mixed') throw new BuildFailure(mixedReason(fileName, text, config));
  if (Object.keys(config.graphs).length === 0) throw new BuildFailure(`${fileName}: graphs names no graph`);
  refuseDockerfileLines(fileName, text, config);
  return { language, config, folder, root, fileName, text };
}

function parseConfig(fileName: string, text: string): LanggraphJson {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    const line = text.split('\n')[text.slice(0, jsonErrorOffset(text)).split('\n').length - 1] ?? '';
    throw new BuildFailure(`${fileName} is not valid JSON at ${jsonErrorPlace(text)}: ${quoted(line)}`);
  }
  const checked = langgraphJson.safeParse(parsed);
  if (checked.success) return checked.data;
  const problem = firstProblem(checked.error);
  const keys = checked.error.issues[0]?.path.map(String) ?? [];
  throw new BuildFailure(`${fileName}${place(text, keys.at(-1))}: ${problem}`);
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

function refuseDockerfileLines(fileName: string, text: string, config: LanggraphJson): void {
  const [line] = config.dockerfile_lines ?? [];
  if (line === undefined) return;
  throw new BuildFailure(
    `${fileName}${place(text, 'dockerfile_lines')}: dockerfile_lines (${quoted(line)}) change a container image, and this build makes none: a listener of type process runs the project's folder itself. Remove them, or deploy an image`,
  );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** A Python graph may also be a module that is installed, such as `my_package.graph`; which one that is only Python knows. */
const isModule = (graph: GraphSource): boolean =>
  languageOfGraph(graph) === 'python' && !graph.file.includes('/') && !graph.file.endsWith('.py');

/** Throws BuildFailure when a graph's file is not there, quoting the line that names it. `hint`: what else may make it. */
export async function requireGraphFiles(
  { config, root, folder, fileName, text }: AgentProject,
  hint = '',
): Promise<void> {
  for (const graph of graphSources(config).filter((one) => !isModule(one))) {
    const path = resolve(folder, graph.file);
    const where = `${fileName}${place(text, graph.id)}: graph '${graph.id}' names ${graph.file}`;
    if (!isInside(root, path)) throw new BuildFailure(`${where}, which leads out of the source`);
    if (!(await isFile(path)))
      throw new BuildFailure(
        `${where}, but there is no file ${relative(root, path)} in the source or made by the build${hint}`,
      );
  }
}

/** The dotenv file that the config names but that is not there: often it is ignored by git on purpose. */
export async function missingEnvFile({ config, folder }: AgentProject): Promise<string | undefined> {
  if (typeof config.env !== 'string' || (await isFile(resolve(folder, config.env)))) return undefined;
  return config.env;
}
