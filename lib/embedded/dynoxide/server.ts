import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnvironment } from '../../processes/environment.ts';
import { freePort } from '../../processes/free-port.ts';
import type { ProcessGroup } from '../../processes/group.ts';
import { keepRunning } from '../../processes/keep-running.ts';
import { describeExit, type Processes } from '../../processes/run-command.ts';
import { systemPatience } from '../../store/dynamodb/patience.ts';
import { databaseHost } from './address.ts';

/**
 * It normally answers after 10 to 40 ms; a database of gigabytes on a slow disk has to replay its log first.
 */
const START_TIMEOUT_MILLISECONDS = 30_000;
const START_POLL_MILLISECONDS = 5;
/**
 * Between our look for a free port and its bind another program may take the port: then another one is tried
 * at once.
 */
const ANOTHER_PORT = { numOfAttempts: 5, startingDelay: 0 };
/** It closes its file within milliseconds; acknowledged writes survive SIGKILL anyway. */
const STOP_GRACE_MILLISECONDS = 2_000;
/** A crash should not be noticed by callers, who try again for seconds. */
const RESTARTS = { leastMilliseconds: 0, mostMilliseconds: 2_000, steadyMilliseconds: 10_000 };
const SHOWN_LINES_MAX = 5;

export type DynoxideOptions = {
  processes: Processes;
  binary: string;
  /** The SQLite file; its folder exists. */
  file: string;
  /** Said when it had to be started again. */
  onCrash?: (message: string) => void;
};

export type DynoxideServer = {
  endpoint: string;
  /** The address of this machine in it. */
  host: string;
  pid(): number | undefined;
  stop(): Promise<void>;
};

type Place = { host: string; port: number };
type Running = { group: ProcessGroup; lastLines: string[] };

const urlOf = ({ host, port }: Place): string => `http://${host}:${port}`;

/**
 * Starts dynoxide on a free port of this machine, at an address that web pages cannot find where there is
 * one, and resolves when it answers. If it dies it is started again at the same place, until `stop`.
 */
export async function startDynoxide(options: DynoxideOptions): Promise<DynoxideServer> {
  const start = () => startOnFreePort(options);
  const { place, running } = await systemPatience.tryAgain(start, ANOTHER_PORT);
  const kept = keepRunning(
    options.processes,
    running.group,
    () => launch(options, place).group,
    RESTARTS,
    (what) => options.onCrash?.(`The database process ${what}`),
  );
  return {
    endpoint: urlOf(place),
    host: place.host,
    pid: () => kept.current().pid,
    stop: () => kept.end((group) => options.processes.stop(group, STOP_GRACE_MILLISECONDS)),
  };
}

async function startOnFreePort(options: DynoxideOptions): Promise<{ place: Place; running: Running }> {
  const host = databaseHost();
  const place = { host, port: await freePort(host) };
  const running = launch(options, place);
  if (await answers(running.group, place)) return { place, running };
  await options.processes.stop(running.group, 0);
  const exit = running.group.exit;
  const ending = exit === undefined ? 'did not answer in time' : describeExit(exit);
  const problem = [ending, ...running.lastLines].join('\n  ');
  throw new Error(`The database (dynoxide, ${options.file}) could not be started: it ${problem}`);
}

function launch({ processes, binary, file }: DynoxideOptions, { host, port }: Place): Running {
  const lastLines: string[] = [];
  const group = processes.start({
    command: binary,
    args: ['serve', '--host', host, '--port', String(port), '--db-path', file],
    cwd: dirname(file),
    environment: childEnvironment(),
    onLine: ({ line }) => {
      lastLines.push(line);
      if (lastLines.length > SHOWN_LINES_MAX) lastLines.shift();
    },
  });
  return { group, lastLines };
}

/** Whether this very process came to answer there, rather than a stranger who took it first. */
async function answers(group: ProcessGroup, place: Place): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MILLISECONDS;
  while (group.exit === undefined && Date.now() < deadline) {
    const version = await versionAt(place);
    // With the port taken, dynoxide exits at once: give it the moment to do so before we believe the answer.
    if (version !== undefined) {
      await delay(START_POLL_MILLISECONDS);
      return group.exit === undefined;
    }
    await delay(START_POLL_MILLISECONDS);
  }
  return false;
}

async function versionAt(place: Place): Promise<string | undefined> {
  try {
    const response = await fetch(`${urlOf(place)}/`, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.headers.get('x-dynoxide-version') ?? undefined;
  } catch {
    return undefined; // Not there yet.
  }
}
