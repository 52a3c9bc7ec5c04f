import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import {
  AGENT_SERVER_FOLDER,
  firstProblem,
  type LanggraphJson,
  langgraphJson,
  languageOf,
} from '../../../contract/deployments/langgraph-json.ts';
import type { DeploySpec } from '../../../contract/listener-protocol.ts';
import { childEnvironment } from '../../../processes/environment.ts';
import { openPythonEnvironment, PYTHON_ENVIRONMENT } from '../../../processes/python/environment.ts';
import { AGENT_SERVER_TOOL, findAgentServer } from './agent-server.ts';
import { projectFolder, quote, type ServerCommand, toolFolders } from './command-for.ts';
import { agentLines } from './langgraph-log.ts';

/** Servers keep threads in this folder of their working directory, and give it no other name. */
const STATE_LINK = '.langgraph_api';
/** The config as a Python server gets it when a variable of the deployment must win over one of the file. */
const EFFECTIVE_CONFIG = '.slipway.langgraph.json';

/**
 * Nobody watches an agent server here: it asks no other machine for versions and sends no usage reports or
 * traces.
 */
const DEFAULTS: Readonly<Record<string, string>> = {
  LANGGRAPH_NO_VERSION_CHECK: 'true',
  LANGGRAPH_CLI_NO_ANALYTICS: '1',
  LANGSMITH_TRACING: 'false',
  // Nor does anybody edit an artifact. A JavaScript server watches its files all the same (1.4.5 does not
  // start when told not to), and Linux gives a user 128 watchers: it looks at them once a day instead.
  CHOKIDAR_USEPOLLING: 'true',
  CHOKIDAR_INTERVAL: String(24 * 60 * 60_000),
};

type Spec = Pick<DeploySpec, 'graph_config_path' | 'environment'>;
type AgentProject = { config: LanggraphJson; cwd: string; fileName: string };

class AgentProjectError extends Error {}

/**
 * How to start the agent server of a `langgraph.json` project, undefined when the artifact holds none. Its
 * threads are kept in `stateFolder`, which only one running server may have. Throws with a reason for a
 * person.
 */
export async function agentCommand(
  artifactFolder: string,
  spec: Spec,
  stateFolder: string,
): Promise<ServerCommand | undefined> {
  const project = readProject(artifactFolder, spec.graph_config_path);
  if (project === undefined) return undefined;
  await linkState(project.cwd, stateFolder);
  const start = languageOf(project.config) === 'python' ? pythonCommand : javaScriptCommand;
  return start(artifactFolder, project, spec);
}

function readProject(artifactFolder: string, configPath: string): AgentProject | undefined {
  const cwd = projectFolder(artifactFolder, configPath);
  const fileName = basename(configPath);
  const file = join(cwd, fileName);
  if (!fileName.endsWith('.json') || !existsSync(file)) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new AgentProjectError(`${fileName} cannot be read: it is not valid JSON.`);
  }
  const checked = langgraphJson.safeParse(parsed);
  if (!checked.success) throw new AgentProjectError(`${fileName}: ${firstProblem(checked.error)}.`);
  const { graphs } = checked.data;
  return graphs === undefined || graphs === null ? undefined : { config: checked.data, cwd, fileName };
}

async function linkState(cwd: string, stateFolder: string): Promise<void> {
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  await rm(join(cwd, STATE_LINK), { recursive: true, force: true });
  await symlink(stateFolder, join(cwd, STATE_LINK));
}

/** The variables that the project sets itself; those of a dotenv file that is not there are none. */
function configVariables({ config, cwd }: AgentProject): Record<string, string> {
  if (typeof config.env !== 'string') return config.env ?? {};
  const file = resolve(cwd, config.env);
  if (!existsSync(file)) return {};
  const parsed = Object.entries(parseEnv(readFileSync(file, 'utf8')));
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

const OPTIONS = '--no-browser --host 127.0.0.1 --port "$PORT"';
const rest = { savesOnStop: true, toLines: agentLines };

async function javaScriptCommand(
  artifactFolder: string,
  project: AgentProject,
  spec: Spec,
): Promise<ServerCommand> {
  const { cwd, fileName } = project;
  const folders = toolFolders(cwd, artifactFolder);
  const server = await findAgentServer(cwd, artifactFolder, folders);
  if (server === undefined)
    throw new AgentProjectError(
      `There is no ${AGENT_SERVER_TOOL} in node_modules or ${AGENT_SERVER_FOLDER}: the build did not install it.`,
    );
  return {
    ...rest,
    cwd,
    toolFolders: folders,
    line: `exec ${server.command} dev ${OPTIONS} --config ${quote(fileName)}`,
    from: `the JavaScript agent server of ${fileName}${server.remark}`,
    // It reports a graph that cannot be imported, and then waits for somebody to mend it.
    isFatal: ({ level }) => level === 'ERROR',
    variables: variablesFor(project, spec),
  };
}

async function pythonCommand(
  artifactFolder: string,
  project: AgentProject,
  spec: Spec,
): Promise<ServerCommand> {
  const { cwd } = project;
  const venv = join(realpathSync(cwd), PYTHON_ENVIRONMENT);
  await openPythonEnvironment(venv, realpathSync(artifactFolder), childEnvironment().PATH ?? '');
  const { fileName, variables } = await withoutOverridden(project, spec);
  // Without --no-reload a second process would outlive the first. Ten jobs at once are the server's own
  // default in production.
  const options = `${OPTIONS} --no-reload --n-jobs-per-worker 10 --config ${quote(fileName)}`;
  return {
    ...rest,
    cwd,
    toolFolders: [join(venv, 'bin'), ...toolFolders(cwd, artifactFolder)],
    line: `exec ${quote(join(venv, 'bin', 'python'))} -m langgraph_cli dev ${options}`,
    from: `the Python agent server of ${project.fileName}`,
    variables: { ...variables, ...variablesFor(project, spec), VIRTUAL_ENV: venv },
  };
}

/**
 * A Python server lets the file's `env` win over its environment. When a variable of the deployment is also
 * in the file, it gets a config without `env`, and the file's other variables through its environment; so no
 * value of a secret is written.
 */
async function withoutOverridden(
  project: AgentProject,
  spec: Spec,
): Promise<{ fileName: string; variables: Record<string, string> }> {
  const given = new Set(spec.environment.map(({ name }) => name));
  const own = Object.entries(configVariables(project));
  if (!own.some(([name]) => given.has(name))) return { fileName: project.fileName, variables: {} };
  const { env: _env, ...config } = project.config;
  await writeFile(join(project.cwd, EFFECTIVE_CONFIG), JSON.stringify(config, undefined, 2));
  return {
    fileName: EFFECTIVE_CONFIG,
    variables: Object.fromEntries(own.filter(([name]) => !given.has(name))),
  };
}
