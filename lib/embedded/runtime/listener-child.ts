import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../listener/log.ts';
import { childEnvironment, ownVariables } from '../../processes/environment.ts';
import type { ProcessGroup } from '../../processes/group.ts';
import { HIDDEN_FOLDER_VARIABLE } from '../../processes/hidden-paths.ts';
import { keepRunning } from '../../processes/keep-running.ts';
import type { Processes } from '../../processes/run-command.ts';
import { headersText } from '../../settings/values.ts';

export type ListenerChildOptions = {
  processes: Processes;
  log: Log;
  /** Prints a line of the listener's own log. */
  print: (line: string) => void;
  baseUrl: string;
  listenerId: string;
  apiKey: string;
  dataFolder: string;
  agentsPort: number;
  publicHosts: readonly string[];
  trustProxy: boolean;
  startTimeoutSeconds: number;
  drainSeconds: number;
  postgresUser: string;
  otlpEndpoint: string | undefined;
  otlpHeaders: Readonly<Record<string, string>>;
  logLevel: string;
};

export type ListenerChild = {
  pid(): number | undefined;
  stop(): Promise<void>;
};

/**
 * Agents are down while it is: back at once after a single crash, but no tight loop when it cannot start at
 * all.
 */
const RESTARTS = { leastMilliseconds: 200, mostMilliseconds: 15_000, steadyMilliseconds: 30_000 };
/**
 * It gives its agent servers 5 s and then needs a moment, on a busy machine two; with what is closed after
 * it, all of it must be over in 10 s.
 */
const STOP_GRACE_MILLISECONDS = 7_500;

const program = fileURLToPath(new URL('../../../bin/listener.ts', import.meta.url));

/**
 * Runs the listener as a program of its own, which talks to the API like any other, and starts it again when
 * it ends.
 */
export function startListenerChild(options: ListenerChildOptions): ListenerChild {
  const { processes, log } = options;
  mkdirSync(options.dataFolder, { recursive: true, mode: 0o700 });
  const start = () => launch(options);
  const onEnd = (what: string) => log.error(`the listener ${what}`);
  const kept = keepRunning(processes, start(), start, RESTARTS, onEnd);
  return {
    pid: () => kept.current().pid,
    stop: () =>
      kept.end(async (group) => {
        // It alone is asked: a signal to all that it has started would cut off agents that are saving their
        // state.
        group.stdin?.end();
        await Promise.race([group.exited, delay(STOP_GRACE_MILLISECONDS, undefined, { ref: false })]);
        await processes.stop(group, 0);
      }),
  };
}

function launch(options: ListenerChildOptions): ProcessGroup {
  const named = {
    '--url': options.baseUrl,
    '--listener-id': options.listenerId,
    '--data-dir': options.dataFolder,
    '--agents-port': options.agentsPort,
    '--public-hosts': options.publicHosts.join(','),
    '--start-timeout-seconds': options.startTimeoutSeconds,
    '--drain-seconds': options.drainSeconds,
    '--postgres-user': options.postgresUser,
    '--log-level': options.logLevel,
    '--otlp-endpoint': options.otlpEndpoint ?? '',
  };
  const args = Object.entries(named).flatMap(([name, value]) => [name, String(value)]);
  const group = options.processes.start({
    command: process.execPath,
    args: [program, ...args, ...(options.trustProxy ? ['--trust-proxy'] : []), '--parent-pipe'],
    cwd: options.dataFolder,
    environment: childEnvironment({
      SLIPWAY_API_KEY: options.apiKey,
      SLIPWAY_OTLP_HEADERS: headersText(options.otlpHeaders),
      // What was built here may name the folder that it was built in.
      [HIDDEN_FOLDER_VARIABLE]: dirname(options.dataFolder),
      ...ownVariables(),
    }),
    stdin: 'pipe',
    onLine: ({ line }) => options.print(ownLine.test(line) ? line : `listener: ${line}`),
  });
  options.log.info(`listener pid ${group.pid}`);
  return group;
}

/** A line that says already when and from whom it is. */
const ownLine = /^\S+ [A-Z]+ +listener: /;
