import { existsSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { withoutTrailing } from '../../contract/trailing.ts';
import { HEALTH_PATH } from '../../domain/agent-failure.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import type { DeployHooks } from '../../listener/driver.ts';
import { freePort } from '../../processes/free-port.ts';
import type { ProcessGroup } from '../../processes/group.ts';
import type { ProcessSupervisor } from '../../processes/supervisor.ts';
import type { Listening } from '../../processes/table/listening.ts';
import type { ServerCommand } from './command-for.ts';
import type { Masking } from './output/masking.ts';
import type { OutputSource } from './output/messages.ts';
import type { OutputThread } from './output/output-thread.ts';
import type { OutputTail } from './output-tail.ts';
import type { ClosedPaths } from './proxy/closed-paths.ts';
import type { ServerTarget } from './proxy/messages.ts';
import { targetAt } from './proxy-process.ts';
import { type Health, isHealthy, NotReadyError, waitUntilReady } from './readiness.ts';
import { type ServerEnvironment, serverEnvironment } from './server-environment.ts';
import { namesShellsDrop, type Start } from './start-line.ts';

export type ServerOptions = {
  supervisor: ProcessSupervisor;
  spec: DeploySpec;
  command: ServerCommand;
  masking: Masking;
  startTimeoutMilliseconds: number;
  isTrial: boolean;
  signal: AbortSignal;
  say: DeployHooks['say'];
  output: Pick<OutputThread, 'open'>;
};

/** A running server that was ready. */
export type Server = {
  group: ProcessGroup;
  target: ServerTarget;
  revisionId: string;
  readyAt: number;
  /** Its last lines of output, masked, once it has ended. */
  tail: OutputTail;
  /** It must be asked to stop alone, and waited for, to save what it holds. */
  savesOnStop: boolean;
  /** Its first process must be asked to stop alone, and waited for, to hand its runs to others. */
  handsBackOnStop: boolean;
  /** By which it answers what it answers nobody else. */
  internalToken: string | undefined;
  /** What lies before the paths of its API. */
  pathPrefix: string;
  hasOwnAuth: boolean;
  /** It was started beside another one only to see that it can: what it holds is not kept. */
  isTrial: boolean;
};

/** Time a server has for its own goodbye after SIGTERM. */
export const STOP_GRACE_MILLISECONDS = 5000;
/** Another program may take the port between our choosing it and the server's binding it. */
const PORT_ATTEMPTS = 3;
/**
 * Requests of ours say nothing of why a server fails. A server of uvicorn knows what lies before its paths,
 * and writes that before them.
 */
function ownPathsOf({ variables }: ServerEnvironment, { path }: Health): string[] {
  const { UVICORN_ROOT_PATH: prefix = '' } = variables;
  return [path, `${prefix}${path}`];
}

/** What says that this server is ready: what the deployment says, else what servers of its kind do. */
function healthOf({ spec: { health_check: given }, command }: ServerOptions): Health {
  if (given?.path !== undefined) return { path: given.path, below: 400, any: false };
  return { path: HEALTH_PATH, below: 300, any: command.isAgentServer !== true };
}

export class ServerFailedError extends Error {}

function timeoutOf({ spec, startTimeoutMilliseconds }: ServerOptions): number {
  const seconds = spec.health_check?.timeout_seconds;
  return seconds === undefined ? startTimeoutMilliseconds : seconds * 1000;
}

type Printing = Pick<ServerOptions, 'command' | 'masking' | 'spec'>;

/** How what is printed is read. `ownPaths`: which requests of an access log are ours. */
export function sourceOf({ command, masking, spec }: Printing, ownPaths: readonly string[]): OutputSource {
  return {
    deploymentId: spec.deployment_id,
    revisionId: spec.revision_id,
    masking,
    format: command.format ?? 'plain',
    ownPaths,
    fatalLevel: command.fatalLevel,
  };
}

async function startOnce(options: ServerOptions): Promise<Server> {
  const { supervisor, command, spec } = options;
  const port = await freePort();
  const { kind, dropsNames } = command.start;
  const environment = serverEnvironment(spec, port, command.toolFolders, {
    // A shell says where it is.
    defaults: { ...(kind === 'words' && { PWD: realpathSync(command.cwd) }), ...command.variables },
    fixed: command.fixedVariables ?? {},
  });
  if (environment.ownPortIgnored) {
    options.say(
      `The variable PORT of this deployment is not used: this listener chooses the port (PORT=${port}).`,
    );
  }
  if (dropsNames) warnOfDroppedNames(spec, command.from, options.say);
  options.say(`Starting ${command.from} on port ${port}.`);
  const begin = Date.now();
  const health = healthOf(options);
  const mark = command.developmentRoutes?.mark;
  if (mark !== undefined) await rm(mark, { force: true });
  const [program, ...args] = wordsOf(command.start, port);
  const output = options.output.open(sourceOf(options, ownPathsOf(environment, health)));
  const group = supervisor.start({
    command: program,
    args,
    cwd: command.cwd,
    environment: environment.variables,
    output,
  });
  try {
    const timeoutMilliseconds = timeoutOf(options);
    const { where, listening, status } = await waitUntilReady(group, {
      port,
      timeoutMilliseconds,
      signal: options.signal,
      failure: () => output.failure,
      health,
      onWaiting: (problem, milliseconds) =>
        options.say(`Not ready after ${Math.round(milliseconds / 1000)} s: ${problem}.`),
    });
    options.say(`Healthy after ${Date.now() - begin} ms.`);
    if (!isHealthy(status, health))
      options.say(
        `GET ${health.path} answers ${status}, so the server is taken for ready because it answers at all. Let it answer 200 there once it is ready, or name another path in health_check.`,
      );
    warnOfOpenPorts(listening, options.say);
    await output.caughtUp();
    return {
      group,
      target: targetAt(where, closedPaths(command, options.say)),
      revisionId: spec.revision_id,
      readyAt: Date.now(),
      tail: output.tail,
      ...knownOf(command),
      isTrial: options.isTrial,
    };
  } catch (error) {
    await supervisor.stop(group, error instanceof NotReadyError ? STOP_GRACE_MILLISECONDS : 1000);
    if (!(error instanceof NotReadyError)) throw error;
    await group.exited;
    throw new ServerFailedError(output.tail.after(error.message));
  }
}

const knownOf = (command: ServerCommand) => ({
  savesOnStop: command.savesOnStop ?? false,
  handsBackOnStop: command.handsBackOnStop ?? false,
  internalToken: command.internalToken,
  hasOwnAuth: command.hasOwnAuth ?? false,
  pathPrefix: prefixOf(command),
});

function prefixOf({ developmentRoutes }: ServerCommand): string {
  const inner = withoutTrailing((developmentRoutes?.mountPrefix ?? '').replace(/^\/+/, ''), '/');
  return inner === '' ? '' : `/${inner}`;
}

/** The program that is run, and its arguments. */
export function wordsOf(start: Start, port: number): [command: string, ...args: string[]] {
  return start.kind === 'words' ? start.words(port) : ['/bin/sh', '-c', start.line];
}

/** Names the variables that a server may miss because it is started by a shell. */
function warnOfDroppedNames({ environment }: DeploySpec, from: string, say: DeployHooks['say']): void {
  const names = namesShellsDrop(environment.map(({ name }) => name));
  if (names.length === 0) return;
  const named = names.map((name) => JSON.stringify(name)).join(', ');
  say(
    `A shell or npm starts ${from}, and it may drop the variables ${named}: a shell knows names of letters, digits and _ alone. They reach a server whose start is one plain command, such as 'node server.js'.`,
    'WARNING',
  );
}

/** The paths that the proxy must close as the server itself has not; it is ready. */
function closedPaths({ developmentRoutes, closed }: ServerCommand, say: DeployHooks['say']): ClosedPaths {
  if (closed !== undefined) return closed;
  if (developmentRoutes === undefined || existsSync(developmentRoutes.mark)) return 'none';
  say(
    "This version of the agent server keeps its routes for development, so all paths below /internal and /deploy are answered with 404, also the agent's own.",
    'WARNING',
  );
  return { developmentBelow: developmentRoutes.mountPrefix ?? '' };
}

/**
 * Names a server that others of the network reach without this listener: past its hosts, and past whatever
 * stands before it.
 */
function warnOfOpenPorts(listening: readonly Listening[], say: DeployHooks['say']): void {
  const ports = listening.flatMap(({ port, everywhere }) => (everywhere ? port : []));
  if (ports.length === 0) return;
  const named = `port${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`;
  say(
    `The server listens on every address of this machine (${named}), so other machines may reach it past this listener. Let it listen on 127.0.0.1: the variable HOST says so, unless the deployment has one of its own.`,
    'WARNING',
  );
}

function lostItsPort(error: unknown): boolean {
  return error instanceof ServerFailedError && /EADDRINUSE|address already in use/i.test(error.message);
}

/**
 * Starts an agent server on a fresh port and waits until it is ready. Throws `ServerFailedError` with a
 * reason that quotes its output; nothing of it is left then.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (attempt === PORT_ATTEMPTS || !lostItsPort(error)) throw error;
      options.say('Its port was taken by another program meanwhile; trying another one.');
    }
  }
}
