import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import * as z from 'zod';
import {
  AGENT_SERVER_FOLDER,
  firstProblem,
  type LanggraphJson,
  langgraphJson,
  languageOf,
} from '../../contract/deployments/langgraph-json.ts';
import { hasByteOrderMark, textOfFile } from '../../contract/file-text.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { childEnvironment } from '../../processes/environment.ts';
import { openPythonEnvironment, PYTHON_ENVIRONMENT } from '../../processes/python/environment.ts';
import { addressOf } from './address.ts';
import { AGENT_SERVER_TOOL, findAgentServer } from './agent-server.ts';
import { projectFolder, type ServerCommand, toolFolders } from './command-for.ts';

/** Servers keep threads in this folder of their working directory, and give it no other name. */
const STATE_LINK = '.langgraph_api';
/** The config as a server gets it where that differs from the project's. */
const EFFECTIVE_CONFIG = '.slipway.langgraph.json';
/** What starts a Python server. */
const PYTHON_START = join(import.meta.dirname, 'langgraph-server.py');
/** In the artifact's folder: it is there once a server has no routes for its development. */
const CLOSED_MARK = '.slipway.closed';

/**
 * Nobody watches an agent server here: it asks no other machine for versions and sends no usage reports or
 * traces.
 */
const DEFAULTS: Readonly<Record<string, string>> = {
  LANGGRAPH_NO_VERSION_CHECK: 'true',
  LANGGRAPH_CLI_NO_ANALYTICS: '1',
  LANGSMITH_TRACING: 'false',
  // Nobody edits an artifact. A JavaScript server watches its files nevertheless (1.4.5 does not start when
  // told not to), and Linux gives a user 128 watchers: it polls them once a day instead.
  CHOKIDAR_USEPOLLING: 'true',
  CHOKIDAR_INTERVAL: String(24 * 60 * 60_000),
};

type Spec = Pick<DeploySpec, 'graph_config_path' | 'environment' | 'deployment_name' | 'custom_url'>;
type Places = {
  artifactFolder: string;
  /** Its threads are kept there, which only one running server may have. */
  stateFolder: string;
  /** What the stable URLs begin with. */
  agentsUrl: string;
};
type AgentProject = {
  config: LanggraphJson;
  cwd: string;
  fileName: string;
  /** Agent servers cannot read its file as it is. */
  isMarked: boolean;
};

class AgentProjectError extends Error {}

/**
 * How to start the agent server of a `langgraph.json` project, undefined when the artifact holds none. Throws
 * with a reason for a person.
 */
export async function agentCommand(spec: Spec, places: Places): Promise<ServerCommand | undefined> {
  const project = readAgentProject(places.artifactFolder, spec.graph_config_path);
  if (project === undefined) return undefined;
  await linkState(project.cwd, places.stateFolder);
  const start = languageOf(project.config) === 'python' ? pythonCommand : javaScriptCommand;
  return start(places, project, spec);
}

/** The project of a config file that names graphs; undefined when there is none. */
export function readAgentProject(artifactFolder: string, configPath: string): AgentProject | undefined {
  const cwd = projectFolder(artifactFolder, configPath);
  const fileName = basename(configPath);
  const file = join(cwd, fileName);
  if (!fileName.endsWith('.json') || !existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  let parsed: unknown;
  try {
    parsed = JSON.parse(textOfFile(bytes));
  } catch {
    throw new AgentProjectError(`${fileName} cannot be read: it is not valid JSON.`);
  }
  const checked = langgraphJson.safeParse(parsed);
  if (!checked.success) throw new AgentProjectError(`${fileName}: ${firstProblem(checked.error)}.`);
  const { graphs } = checked.data;
  if (graphs === undefined || graphs === null) return undefined;
  return { config: checked.data, cwd, fileName, isMarked: hasByteOrderMark(bytes) };
}

async function linkState(cwd: string, stateFolder: string): Promise<void> {
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  await rm(join(cwd, STATE_LINK), { recursive: true, force: true });
  await symlink(stateFolder, join(cwd, STATE_LINK));
}

/** The dotenv file of a project, empty where it is not there. */
function dotenvOf({ config, cwd }: AgentProject): Buffer {
  const file = typeof config.env === 'string' ? resolve(cwd, config.env) : undefined;
  return file !== undefined && existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
}

/** The variables that the project sets itself. */
function configVariables(project: AgentProject): Record<string, string> {
  const { env } = project.config;
  if (typeof env !== 'string') return env ?? {};
  const parsed = Object.entries(parseEnv(textOfFile(dotenvOf(project))));
  return Object.fromEntries(parsed.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * What every agent server gets unless project or deployment set it, and lines of output that can be read by
 * machine.
 */
function variablesFor(project: AgentProject, spec: Spec): Record<string, string> {
  const set = new Set([
    ...Object.keys(configVariables(project)),
    ...spec.environment.map(({ name }) => name),
  ]);
  const defaults = Object.entries(DEFAULTS).filter(([name]) => !set.has(name));
  return { ...Object.fromEntries(defaults), LOG_JSON: 'true' };
}

const optionsFor = (port: number, fileName: string): string[] => [
  '--no-browser',
  '--host',
  '127.0.0.1',
  '--port',
  String(port),
  '--config',
  fileName,
];
const rest = { isAgentServer: true, savesOnStop: true, format: 'agent' } as const;

async function javaScriptCommand(
  { artifactFolder }: Places,
  project: AgentProject,
  spec: Spec,
): Promise<ServerCommand> {
  const { cwd } = project;
  const fileName = await configFile(project, withClosedAuth(project.config));
  const folders = toolFolders(cwd, artifactFolder);
  const mark = join(artifactFolder, CLOSED_MARK);
  const server = await findAgentServer(cwd, artifactFolder, folders, mark);
  if (server === undefined)
    throw new AgentProjectError(
      `There is no ${AGENT_SERVER_TOOL} in node_modules or ${AGENT_SERVER_FOLDER}: the build did not install it.`,
    );
  return {
    ...rest,
    hasOwnAuth: hasOwnAuth(project),
    cwd,
    toolFolders: folders,
    start: {
      kind: 'words',
      words: (port) => [server.tool, 'dev', ...optionsFor(port, fileName)],
      dropsNames: await isShellScript(server.tool),
    },
    from: `the JavaScript agent server of ${project.fileName}${server.remark}`,
    // It reports a graph that cannot be imported, and then waits for somebody to mend it.
    fatalLevel: 'ERROR',
    variables: variablesFor(project, spec),
    fixedVariables: server.imports === undefined ? {} : nodeOptions(server.imports, project, spec),
    developmentRoutes: { mark, mountPrefix: '' },
  };
}

/** What Node imports first, before the options that deployment or project have for it. */
function nodeOptions(imports: string, project: AgentProject, spec: Spec): Record<string, string> {
  const given = spec.environment.find(({ name }) => name === 'NODE_OPTIONS')?.value;
  const own = given ?? configVariables(project).NODE_OPTIONS;
  return { NODE_OPTIONS: [`--import=${imports}`, ...(own === undefined ? [] : [own])].join(' ') };
}

/** Some package managers put a script of the shell in a tool's place. */
async function isShellScript(file: string): Promise<boolean> {
  return /^#! ?\/bin\/sh\b/.test(await readFile(file, 'utf8'));
}

async function pythonCommand(
  { artifactFolder, agentsUrl }: Places,
  project: AgentProject,
  spec: Spec,
): Promise<ServerCommand> {
  const { cwd } = project;
  const venv = join(realpathSync(cwd), PYTHON_ENVIRONMENT);
  await openPythonEnvironment(venv, realpathSync(artifactFolder), childEnvironment().PATH ?? '');
  const { config, variables } = withoutOverridden(project, spec);
  const fileName = await configFile(project, withClosedAuth(config));
  const mark = join(artifactFolder, CLOSED_MARK);
  // Without --no-reload a second process would outlive the first. Ten jobs at once are the server's own
  // default in production.
  const options = ['--no-reload', '--n-jobs-per-worker', '10'];
  const python = join(venv, 'bin', 'python');
  const start = [PYTHON_START, mark, addressOf(spec, agentsUrl), 'dev'];
  return {
    ...rest,
    hasOwnAuth: hasOwnAuth(project),
    cwd,
    toolFolders: [join(venv, 'bin'), ...toolFolders(cwd, artifactFolder)],
    start: {
      kind: 'words',
      words: (port) => [python, ...start, ...options, ...optionsFor(port, fileName)],
      dropsNames: false,
    },
    from: `the Python agent server of ${project.fileName}`,
    variables: { ...variables, ...variablesFor(project, spec), VIRTUAL_ENV: venv },
    developmentRoutes: { mark, mountPrefix: mountPrefixOf(project, spec) },
  };
}

const httpOptions = z.looseObject({ mount_prefix: z.string().nullish() });

/** What the project wants before all paths of its server, as the server finds it. */
function mountPrefixOf(project: AgentProject, spec: Spec): string {
  const variables = {
    ...configVariables(project),
    ...Object.fromEntries(spec.environment.map(({ name, value }) => [name, value])),
  };
  const configured = httpOptions.safeParse(project.config.http).data?.mount_prefix;
  return variables.LANGGRAPH_MOUNT_PREFIX ?? variables.MOUNT_PREFIX ?? configured ?? '';
}

const ownAuth = z.looseObject({ path: z.string(), disable_studio_auth: z.boolean().nullish() });

/**
 * The config with the agent's own auth closed: development servers let everybody past it who sends
 * `x-auth-scheme: langsmith`, as Studio does, unless the project says whether they may.
 */
function withClosedAuth(config: LanggraphJson): LanggraphJson {
  const { data: auth } = ownAuth.safeParse(config.auth);
  if (auth === undefined || typeof auth.disable_studio_auth === 'boolean') return config;
  return { ...config, auth: { ...auth, disable_studio_auth: true } };
}

const hasOwnAuth = ({ config }: AgentProject): boolean => ownAuth.safeParse(config.auth).success;

/** The name of the file that the server reads its config from: the project's own, or one beside it. */
async function configFile(
  { config, cwd, fileName, isMarked }: AgentProject,
  wanted: LanggraphJson,
): Promise<string> {
  if (wanted === config && !isMarked) return fileName;
  await writeFile(join(cwd, EFFECTIVE_CONFIG), JSON.stringify(wanted, undefined, 2));
  return EFFECTIVE_CONFIG;
}

/**
 * A Python server lets the file's `env` win over its environment. When a variable of the deployment is also
 * in the file, it gets a config without `env`, and the file's other variables through its environment; so no
 * value of a secret is written. It takes the byte order mark of a dotenv file for a part of a name: then,
 * too.
 */
function withoutOverridden(
  project: AgentProject,
  spec: Spec,
): { config: LanggraphJson; variables: Record<string, string> } {
  const given = new Set(spec.environment.map(({ name }) => name));
  const own = Object.entries(configVariables(project));
  const isRead = !hasByteOrderMark(dotenvOf(project));
  if (isRead && !own.some(([name]) => given.has(name))) return { config: project.config, variables: {} };
  const { env: _env, ...config } = project.config;
  return { config, variables: Object.fromEntries(own.filter(([name]) => !given.has(name))) };
}
