import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import { textOfFile } from '../../contract/file-text.ts';
import type { LogLevel } from '../../contract/log-level.ts';
import {
  NEEDS_START_COMMAND,
  procfileLine,
  type ServerStart,
  START_FILE,
  serverStart,
  startScriptLine,
} from '../../contract/server-start.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { childEnvironment } from '../../processes/environment.ts';
import { isSealed, openPythonEnvironment, PYTHON_ENVIRONMENT } from '../../processes/python/environment.ts';
import { addressOf } from './address.ts';
import type { OutputFormat } from './output/messages.ts';
import type { ClosedPaths } from './proxy/closed-paths.ts';
import { type Start, startOf } from './start-line.ts';

/** How to start an agent server, where, and the folders of tools that come first on its PATH. */
export type ServerCommand = {
  start: Start;
  cwd: string;
  toolFolders: string[];
  from: string;
  /** A line of shell that runs to its end before a new version of it serves. */
  release?: string;
  /** Variables that the deployment's own win over. */
  variables?: Record<string, string>;
  /** Variables that win over the deployment's own. */
  fixedVariables?: Record<string, string>;
  /**
   * It is a development server, whose own routes are taken out at its start; the file `mark` is there once
   * they are. What it serves lies behind `mountPrefix`.
   */
  developmentRoutes?: { mark: string; mountPrefix: string };
  /**
   * The server keeps what must last in memory and saves it at SIGTERM: it has to be asked alone, and waited
   * for.
   */
  savesOnStop?: boolean;
  /**
   * Its runs are in a database, where others of its kind take them up: at SIGTERM its first process stops
   * them at their next step, then its worker and itself. So that one is asked alone, and waited for.
   */
  handsBackOnStop?: boolean;
  /** By which this listener asks it which builds are wanted. */
  internalToken?: string;
  /** Paths that are for this listener alone. */
  closed?: ClosedPaths;
  /** Callers of its threads are asked by the agent itself who they are. */
  hasOwnAuth?: boolean;
  /** It answers GET /ok with 200 once it is ready, and with nothing of the kind before. */
  isAgentServer?: boolean;
  /** A line of this level, before it is ready, means that it never will be, although it lives on. */
  fatalLevel?: LogLevel;
  /** How its output is read; `plain` otherwise. */
  format?: OutputFormat;
};

/** The folder says nothing that we could run. */
class NoCommandError extends Error {}

const packageSchema = z.object({ scripts: z.record(z.string(), z.string()).optional() });

/** The project's folder: where the configuration lies inside the artifact, else the artifact's root. */
export function projectFolder(artifactFolder: string, graphConfigPath: string): string {
  const folder = resolve(artifactFolder, dirname(graphConfigPath));
  const inside = folder === artifactFolder || folder.startsWith(artifactFolder + sep);
  return inside && existsSync(folder) && statSync(folder).isDirectory() ? folder : artifactFolder;
}

/**
 * The `node_modules/.bin` folders from the project up to the artifact's root, nearest first, as npm puts them
 * on PATH.
 */
export function toolFolders(folder: string, artifactFolder: string): string[] {
  const depth = relative(artifactFolder, folder).split(sep).filter(Boolean).length;
  const folders = Array.from({ length: depth + 1 }, (_, up) =>
    resolve(folder, ...Array<string>(up).fill('..')),
  );
  return folders.map((one) => join(one, 'node_modules', '.bin')).filter((one) => existsSync(one));
}

/** PATH with the project's own tools first. */
export function withTools(path: string, folders: string[]): string {
  return [...folders, path].join(delimiter);
}

function readScripts(folder: string): Record<string, string> {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return {};
  try {
    return packageSchema.parse(JSON.parse(textOfFile(readFileSync(file)))).scripts ?? {};
  } catch {
    throw new NoCommandError('package.json cannot be read: it is not valid JSON with a "scripts" object.');
  }
}

type Spec = Pick<DeploySpec, 'graph_config_path' | 'start_command' | 'deployment_name' | 'custom_url'>;

/**
 * How to start the server in an unpacked artifact: by the command of the deployment, else as its build has
 * written down. `agentsUrl`: what the stable addresses of all begin with. Throws when its Python is not on
 * this machine, or the artifact, of an earlier build, says nothing.
 */
export async function commandFor(
  artifactFolder: string,
  spec: Spec,
  agentsUrl: string,
): Promise<ServerCommand> {
  const written = readStart(artifactFolder);
  const own = spec.start_command || undefined;
  const line = own ?? written?.line;
  if (line === undefined && written !== undefined) throw new NoCommandError(NEEDS_START_COMMAND);
  if (line === undefined) return commandOfFiles(artifactFolder, spec);
  const cwd =
    written === undefined
      ? projectFolder(artifactFolder, spec.graph_config_path)
      : join(artifactFolder, written.folder);
  const from = own === undefined ? (written?.from ?? '') : 'the start_command of the deployment';
  const release = written?.release;
  const command = {
    cwd,
    start: startOf(line),
    ...(release !== undefined && { release }),
    from,
    toolFolders: toolFolders(cwd, artifactFolder),
    variables: prefixVariables(line, spec, agentsUrl),
  };
  const root = realpathSync(artifactFolder);
  if (written !== undefined)
    return written.venv === undefined ? command : withPython(command, root, join(root, written.venv));
  // An agent project, which says in its config file how it is started otherwise.
  const venv = join(realpathSync(cwd), PYTHON_ENVIRONMENT);
  return (await isSealed(venv)) ? withPython(command, root, venv) : command;
}

/** Throws `NoCommandError` when what a build has written down leads out of the artifact. */
function readStart(artifactFolder: string): ServerStart | undefined {
  const file = join(artifactFolder, START_FILE);
  if (!existsSync(file)) return undefined;
  const start = serverStart.parse(JSON.parse(readFileSync(file, 'utf8')));
  const root = realpathSync(artifactFolder);
  for (const path of [start.folder, start.venv ?? '.']) {
    const wanted = join(root, path);
    const real = existsSync(wanted) ? realpathSync(wanted) : wanted;
    if (real !== root && !real.startsWith(root + sep))
      throw new NoCommandError(
        `${START_FILE} of the artifact names '${path}', which lies outside of it. A build writes that file: deploy again, from a source without one.`,
      );
  }
  return start;
}

const UVICORN = /(?:^|[\s/])uvicorn(?=\s|$)/;

/**
 * What lies before the paths that the server sees, where uvicorn starts it: its framework writes that into
 * the addresses of its own pages. No server is told by SCRIPT_NAME, for gunicorn refuses paths without it.
 */
function prefixVariables(line: string, spec: Spec, agentsUrl: string): Record<string, string> {
  const { pathname } = new URL(addressOf(spec, agentsUrl));
  return UVICORN.test(line) && pathname !== '/' ? { UVICORN_ROOT_PATH: pathname } : {};
}

async function withPython(command: ServerCommand, root: string, environment: string): Promise<ServerCommand> {
  await openPythonEnvironment(environment, root, childEnvironment().PATH ?? '');
  return {
    ...command,
    toolFolders: [join(environment, 'bin'), ...command.toolFolders],
    // Else a server's lines would come when there are many of them.
    variables: { ...command.variables, VIRTUAL_ENV: environment, PYTHONUNBUFFERED: '1' },
  };
}

/**
 * What the files of an artifact say whose build has written down nothing, an earlier release's: `start` of
 * package.json, else the `web` line of a Procfile. It is not the order in which a source is looked at today:
 * what was built then runs as it ran then. Throws `NoCommandError` when there is neither.
 */
function commandOfFiles(artifactFolder: string, spec: Pick<DeploySpec, 'graph_config_path'>): ServerCommand {
  const cwd = projectFolder(artifactFolder, spec.graph_config_path);
  const rest = { cwd, toolFolders: toolFolders(cwd, artifactFolder) };
  const script = startScriptLine(readScripts(cwd));
  if (script !== undefined)
    return { ...rest, start: startOf(script), from: 'the start script of package.json' };
  const procfile = join(cwd, 'Procfile');
  const web = existsSync(procfile) ? procfileLine(textOfFile(readFileSync(procfile)), 'web') : undefined;
  if (web !== undefined) return { ...rest, start: startOf(web), from: 'the web line of the Procfile' };
  throw new NoCommandError(
    'There is nothing to start: no "start" script in package.json and no "web:" line in a Procfile.',
  );
}
