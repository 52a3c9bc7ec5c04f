import { dirname, join, normalize } from 'node:path';
import { parseEnv } from 'node:util';
import { graphSources } from '../contract/deployments/langgraph-json.ts';
import { nameProblem } from '../contract/deployments/secrets.ts';
import { DEFAULT_CONFIG_PATH } from '../domain/source.ts';
import { agentConfigIn, type ConfigFile, checkedAgent, filesOfGraphs } from './agent-project.ts';
import { detectServer, nestedProjects, nothingToStart } from './detect/detect.ts';
import type { Look, Server } from './detect/server.ts';
import { pickSourceFiles, type SourceFiles, TEXT_BYTES_MAX } from './detect/source-files.ts';
import { BuildFailure } from './failure.ts';
import { parsePackageJson, requireConfigKind, TOOLS } from './project.ts';
import { pythonWish } from './python-server.ts';

/** Where a project is said to lie in a source. */
export type Place = { rootDirectory?: string | undefined; configPath?: string | undefined };

/** What a build would make of a source. Paths are relative to the root of the source. */
export type Found = {
  kind: 'agent' | 'server' | 'dockerfile';
  /** In words: `a FastAPI app`. */
  says: string;
  /** The file that says so. */
  file: string;
  language: 'python' | 'javascript' | 'other';
  /** The version of the language that it asks for. */
  version: string | undefined;
  graphs: { id: string; path: string }[];
  /** As `graph_config_path` names it. */
  configPath: string | undefined;
  /** The line that starts it; undefined of agents. */
  start: string | undefined;
};

export type Looked = {
  found: Found | undefined;
  /** What would fail in a build: a sentence without its full stop. */
  problem: string | undefined;
  /** Variables that files of the project name: by file, in the order of the alphabet. */
  variables: { name: string; from: string }[];
  /** Other folders with a project of their own. */
  folders: string[];
  /** Files in the project's folder. */
  files: string[];
};

const EXAMPLES = ['.env.example', '.env.sample', '.env.template'];
/** Files that are read to find out what a project is: more than that says nothing new. */
const READ_MAX = 200;
const FOLDERS_MAX = 50;
const FILES_SHOWN_MAX = 200;
const VARIABLES_MAX = 100;
/** A list of variables is no longer than this; what follows is not read. */
const ENV_CHARACTERS_MAX = 64 * 1024;

const cleaned = (path: string): string => normalize(path).replace(/(?<=.)\/$/, '');
const inFolder = (folder: string, path: string): string => (folder === '.' ? path : `${folder}/${path}`);

/** The folder that is built, the one that `rootDirectory` names, and the config file, from the source's root. */
function placesOf({ rootDirectory = '.', configPath = DEFAULT_CONFIG_PATH }: Place) {
  const base = cleaned(rootDirectory);
  const config = cleaned(join(base, configPath));
  return { base, config, folder: dirname(config) };
}

/** Of all paths of a source, those whose text `lookAtProject` reads. */
export function pathsToRead(paths: readonly string[], place: Place): string[] {
  const { folder, config } = placesOf(place);
  const there = new Set(paths);
  const always = [config, ...EXAMPLES.map((name) => inFolder(folder, name))];
  const { read } = pickSourceFiles(paths, folder);
  return [...new Set([...always, ...read.map((path) => inFolder(folder, path))])]
    .filter((path) => there.has(path))
    .slice(0, READ_MAX);
}

/**
 * What a build would find in a source, told by the names of its files and the texts of those that
 * `pathsToRead` names. It takes every tool for being there, as it does not know where it would be built.
 */
export function lookAtProject(
  paths: readonly string[],
  allTexts: ReadonlyMap<string, string>,
  place: Place,
): Looked {
  // A build reads no more of what it only looks through.
  const texts = new Map([...allTexts].filter(([, text]) => text.length <= TEXT_BYTES_MAX));
  const { base, folder, config } = placesOf(place);
  const { listed } = pickSourceFiles(paths, folder);
  const files: SourceFiles = new Map(
    listed.map((path): [string, string] => [path, texts.get(inFolder(folder, path)) ?? '']),
  );
  const root = base === '.' && folder === '.' ? listed : pickSourceFiles(paths, '.').listed;
  const project: Project = { paths, texts, files, folder, config, configPath: place.configPath };
  return {
    ...whatIsIn(project),
    variables: variablesIn(project),
    folders: nestedProjects(new Map(root.map((path) => [path, ''])))
      .filter((one) => one !== folder)
      .slice(0, FOLDERS_MAX),
    files: listed.filter((path) => !path.includes('/')).slice(0, FILES_SHOWN_MAX),
  };
}

type Project = {
  paths: readonly string[];
  texts: ReadonlyMap<string, string>;
  files: SourceFiles;
  folder: string;
  config: string;
  configPath: string | undefined;
};

function whatIsIn(project: Project): Pick<Looked, 'found' | 'problem'> {
  const { paths, texts, config, folder, files, configPath } = project;
  if (folder !== '.' && files.size === 0)
    return { found: undefined, problem: `There is no folder '${folder}' in this repository` };
  try {
    const text = texts.get(config);
    const isThere = paths.includes(config);
    if (!isThere && configPath !== undefined && configPath !== DEFAULT_CONFIG_PATH)
      return { found: undefined, problem: `There is no file '${config}' in this repository` };
    requireConfigKind(config);
    if (isThere && text === undefined)
      return {
        found: undefined,
        problem: `${config} is too large to be looked at here: only a build reads it`,
      };
    const file = text === undefined ? undefined : agentConfigIn(nameOf(config), text, { mayQuote: false });
    if (file !== undefined) return agentIn(project, file, new Set(paths));
    return serverIn(project);
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error;
    return { found: undefined, problem: error.message };
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const languages = { python: 'Python', javascript: 'JavaScript', mixed: 'Python and JavaScript' } as const;

function agentIn(
  { texts, folder, config, configPath }: Project,
  file: ConfigFile,
  there: ReadonlySet<string>,
): Pick<Looked, 'found' | 'problem'> {
  const { config: said, language } = checkedAgent(file);
  const graphs = graphSources(said).map(({ id, file: path }) => ({ id, path }));
  const count = graphs.length === 1 ? '1 graph' : `${graphs.length} graphs`;
  const found: Found = {
    kind: 'agent',
    says: `an agent in ${languages[language]} with ${count}`,
    file: config,
    language: language === 'mixed' ? 'other' : language,
    version: (language === 'javascript' ? said.node_version : said.python_version) ?? undefined,
    graphs,
    configPath: cleaned(configPath ?? DEFAULT_CONFIG_PATH),
    start: undefined,
  };
  // A script may make what is not there yet.
  const packages = texts.get(inFolder(folder, 'package.json'));
  if (packages !== undefined && Object.keys(parsePackageJson(packages).scripts).length > 0)
    return { found, problem: undefined };
  const root = '/source';
  const { fileName, text } = file;
  const needed = filesOfGraphs({ config: said, root, folder: join(root, folder), fileName, text });
  return { found, problem: needed.find(({ path }) => !there.has(path))?.reason };
}

function serverIn({ files, folder }: Project): Pick<Looked, 'found' | 'problem'> {
  const look: Look = { files, folder, tools: new Set(TOOLS) };
  const server = detectServer(look);
  if (server !== undefined && 'refused' in server) return { found: undefined, problem: server.refused };
  if (server !== undefined) return { found: serverFound(server, look), problem: undefined };
  if (!files.has('Dockerfile')) return { found: undefined, problem: nothingToStart(look) };
  const found: Found = {
    kind: 'dockerfile',
    says: 'a Dockerfile',
    file: inFolder(folder, 'Dockerfile'),
    language: 'other',
    version: undefined,
    graphs: [],
    configPath: undefined,
    start: undefined,
  };
  return { found, problem: undefined };
}

function serverFound(server: Server, { files, folder }: Look): Found {
  const { what, file, line, python } = server;
  const packageJson = files.get('package.json');
  const isJavaScript = file === 'package.json' || (packageJson !== undefined && python === undefined);
  const language = python !== undefined ? 'python' : isJavaScript ? 'javascript' : 'other';
  const node = packageJson === undefined ? undefined : parsePackageJson(packageJson).nodeRange;
  const versions = { python: pythonWish(files).asked, javascript: node, other: undefined };
  return {
    kind: 'server',
    says: what,
    file: inFolder(folder, file),
    language,
    version: versions[language],
    graphs: [],
    configPath: undefined,
    start: line,
  };
}

/** Names that examples of a dotenv file have, and those that the agent's own config leaves to be filled in. */
function variablesIn({ texts, folder, config }: Project): Looked['variables'] {
  const examples = EXAMPLES.map((name) => inFolder(folder, name));
  const named = [
    ...examples.flatMap((from) => namesIn(texts.get(from)).map((name) => ({ name, from }))),
    ...namesInConfig(texts.get(config)).map((name) => ({ name, from: config })),
  ].filter(({ name }) => nameProblem(name) === undefined);
  return [...Map.groupBy(named, ({ name }) => name).values()]
    .flatMap(([first]) => first ?? [])
    .slice(0, VARIABLES_MAX);
}

const namesIn = (text = ''): string[] => Object.keys(parseEnv(text.slice(0, ENV_CHARACTERS_MAX)));

/** Of `env`, what has no value of its own. */
function namesInConfig(text: string | undefined): string[] {
  if (text === undefined) return [];
  try {
    const file = agentConfigIn(DEFAULT_CONFIG_PATH, text, { mayQuote: false });
    const env = file === undefined ? undefined : checkedAgent(file).config.env;
    if (typeof env !== 'object' || env === null) return [];
    return Object.entries(env).flatMap(([name, value]) =>
      value === '' || value.startsWith('$') ? [name] : [],
    );
  } catch (error) {
    // What is wrong with it has been said.
    if (error instanceof BuildFailure) return [];
    throw error;
  }
}
