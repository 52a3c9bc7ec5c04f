import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DURABLE_WORKER_FOLDER } from '../../contract/deployments/durable-worker.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { childEnvironment } from '../../processes/environment.ts';
import { isSealed, openPythonEnvironment, PYTHON_ENVIRONMENT } from '../../processes/python/environment.ts';
import type { ServerCommand } from './command-for.ts';
import { toolFolders } from './command-for.ts';
import { readAgentProject } from './langgraph.ts';

const SERVER = fileURLToPath(new URL('../../agent-runtime/main.ts', import.meta.url));
/** Raised when a server cannot go on with the runs of an earlier one, whatever worker it has. */
const RUNTIME_VERSION = 1;
/** As many runs of a server at once as LangGraph's own has. */
const JOBS = '10';
const JOB_SECONDS = '3600';

type Spec = Pick<DeploySpec, 'artifact' | 'graph_config_path' | 'environment'>;
type Places = { artifactFolder: string; databaseUri: string; internalToken: string };

/** Whether a revision keeps its threads and runs in the database of its deployment. */
export const isDurable = ({ runtime }: Pick<DeploySpec, 'runtime'>): boolean => runtime === 'durable';

class DurableError extends Error {}

/**
 * What may go on with a run: whoever has the same artifact, config file and version of the server. A redeploy
 * and a change of secrets are the same build.
 */
export function buildIdOf({ artifact, graph_config_path: path }: Omit<Spec, 'environment'>): string {
  const what = artifact.kind === 'folder' ? artifact.sha256.toLowerCase() : artifact.uri;
  const text = JSON.stringify([what, path, RUNTIME_VERSION]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * How to start Slipway's own server for the graphs of an artifact: it keeps threads and runs in a database.
 * Throws with a reason for a person where there are no graphs that it can run.
 */
export async function durableCommand(spec: Spec, places: Places): Promise<ServerCommand> {
  const { artifactFolder, databaseUri, internalToken } = places;
  const project = readAgentProject(artifactFolder, spec.graph_config_path);
  if (project === undefined)
    throw new DurableError(
      `${spec.graph_config_path} names no graphs, which is what the runtime 'durable' runs. Set source_config.runtime to 'command' or 'auto'.`,
    );
  const { cwd, fileName } = project;
  const venv = join(realpathSync(cwd), PYTHON_ENVIRONMENT);
  if (!(await isSealed(venv)))
    throw new DurableError(
      "The artifact has no Python environment, and the runtime 'durable' runs graphs in Python alone so far. Set source_config.runtime to 'dev'.",
    );
  await openPythonEnvironment(venv, realpathSync(artifactFolder), childEnvironment().PATH ?? '');
  const worker = join(cwd, DURABLE_WORKER_FOLDER);
  return {
    cwd,
    toolFolders: [join(venv, 'bin'), ...toolFolders(cwd, artifactFolder)],
    start: { kind: 'words', words: () => [process.execPath, SERVER, fileName], dropsNames: false },
    from: `the durable agent server of ${fileName}`,
    format: 'agent',
    isAgentServer: true,
    handsBackOnStop: true,
    closed: 'internal',
    internalToken,
    variables: {
      N_JOBS_PER_WORKER: JOBS,
      BG_JOB_TIMEOUT_SECS: JOB_SECONDS,
      // Nobody watches an agent server here.
      LANGSMITH_TRACING: 'false',
      VIRTUAL_ENV: venv,
      PYTHONUNBUFFERED: '1',
    },
    fixedVariables: {
      DATABASE_URI: databaseUri,
      SLIPWAY_BUILD_ID: buildIdOf(spec),
      SLIPWAY_INTERNAL_TOKEN: internalToken,
      ...(existsSync(worker) && { SLIPWAY_WORKER_FOLDER: worker }),
    },
  };
}
