import { connect } from 'node:net';
import { HEALTH_PATH } from '../../domain/agent-failure.ts';
import { messageOf, pause } from '../../listener/backoff.ts';
import type { GroupExit, ProcessGroup } from '../../processes/group.ts';
import { describeExit } from '../../processes/run-command.ts';
import { type Listening, listenersOf, onPort } from '../../processes/table/listening.ts';

/** How often a server is checked: often at first, so that a quick one waits for nothing; seldom later. */
const CHECK_MILLISECONDS_MIN = 25;
const CHECK_MILLISECONDS_MAX = 250;
/** One question; a server that is still loading may be slow to answer. */
const ANSWER_TIMEOUT_MILLISECONDS = 5000;
/** A connection on this machine is accepted at once, or the backlog is full. */
const OPEN_TIMEOUT_MILLISECONDS = 1000;
/**
 * A server may open a helper's port before its own; one that speaks HTTP for so long while PORT is closed is
 * the server.
 */
const OTHER_PORT_MILLISECONDS = 3000;

/**
 * What the group listens on is asked of the kernel, which takes milliseconds: once something accepts
 * connections on PORT, else now and then.
 */
const SEARCH_MILLISECONDS = 1000;

/** Why a server did not become ready; the message is for a person, without the server's output. */
export class NotReadyError extends Error {}

/** How a server ended, in words; a program that is missing is named. */
export function describeServerExit(exit: GroupExit): string {
  const missing = /^spawn (.*) ENOENT$/.exec(exit.error ?? '')?.[1];
  return missing === undefined
    ? describeExit(exit)
    : `could not be started: there is no program '${missing}', neither in the project nor on the PATH of this machine`;
}

type Probe = { status: number | undefined; problem: string };

async function probe(where: Listening, path: string, signal: AbortSignal): Promise<Probe> {
  const host = where.host === '::1' ? '[::1]' : where.host;
  try {
    const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MILLISECONDS);
    const response = await fetch(`http://${host}:${where.port}${path}`, {
      signal: AbortSignal.any([signal, timeout]),
      redirect: 'manual',
    });
    await response.body?.cancel();
    return { status: response.status, problem: `GET ${path} answers ${response.status}` };
  } catch (error) {
    return { status: undefined, problem: `GET ${path} fails: ${messageOf(error)}` };
  }
}

/**
 * What says that a server is ready: a status from 200 up to below `below` at the path, at once; or any below
 * 500 twice, where `any` is set, for such a server need not know the path.
 */
export type Health = { path: string; below: 300 | 400; any: boolean };

export const isHealthy = (status: number, { below }: Pick<Health, 'below'>): boolean =>
  status >= 200 && status < below;

/** Whether anything, of this group or not, accepts connections on the port. */
async function isOpen(port: number): Promise<boolean> {
  const accepted = ['127.0.0.1', '::1'].map(
    (host) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port, timeout: OPEN_TIMEOUT_MILLISECONDS });
        const end = (answer: boolean) => () => {
          socket.destroy();
          resolve(answer);
        };
        socket.once('connect', end(true)).once('timeout', end(false)).once('error', end(false));
      }),
  );
  return (await Promise.all(accepted)).includes(true);
}

/** The first of these ports that speaks HTTP. */
async function firstHttpPort(others: Listening[], signal: AbortSignal): Promise<number | undefined> {
  for (const other of others) {
    const answer = await probe(other, HEALTH_PATH, signal);
    if (answer.status !== undefined) return other.port;
  }
  return undefined;
}

/** A server that has said why it fails may say more, and a last look may find it ready all the same. */
const FAILURE_MILLISECONDS = 2000;

/** While a server is waited for, what it answers is told this often. */
const TOLD_MILLISECONDS = 10_000;

export type ReadinessOptions = {
  port: number;
  timeoutMilliseconds: number;
  signal: AbortSignal;
  health: Health;
  /** Hears now and then why the server is not ready yet. */
  onWaiting: (problem: string, waitedMilliseconds: number) => void;
  /** What the server has said that means it will never be ready although it lives on. */
  failure?: () => string | undefined;
};

/** Where a server answers, and all that its processes listen on. */
export type Ready = { where: Listening; listening: Listening[]; status: number };

/**
 * Waits until the server answers on `port` as one that is ready, from a process of this very group. Throws
 * `NotReadyError` when the first process ends, when the group serves on another port, and at the timeout.
 */
export async function waitUntilReady(group: ProcessGroup, options: ReadinessOptions): Promise<Ready> {
  const { port, signal, health } = options;
  const begin = Date.now();
  let problem = `nothing listens on PORT=${port}`;
  let otherSince: number | undefined;
  let failedSince: number | undefined;
  let look = CHECK_MILLISECONDS_MIN;
  let searchedAt = begin;
  let toldAt = begin;
  let answers = 0;
  while (Date.now() - begin < options.timeoutMilliseconds) {
    signal.throwIfAborted();
    if (group.exit !== undefined)
      throw new NotReadyError(`The server ${describeServerExit(await group.exited)}.`);
    const failure = options.failure?.();
    if (failure !== undefined) failedSince ??= Date.now();
    if (failedSince !== undefined && Date.now() - failedSince >= FAILURE_MILLISECONDS)
      throw new NotReadyError(`The server failed during startup: ${failure}.`);
    const searches = Date.now() - searchedAt >= SEARCH_MILLISECONDS || (await isOpen(port));
    if (searches) searchedAt = Date.now();
    const listening = searches ? listenersOf(group) : [];
    const where = onPort(listening, port);
    if (where !== undefined) {
      const { status = 500, problem: said } = await probe(where, health.path, signal);
      answers = status < 500 && health.any ? answers + 1 : 0;
      if (isHealthy(status, health) || answers === 2) return { where, listening, status };
      problem = said;
    } else if (searches) {
      const other = await firstHttpPort(listening, signal);
      otherSince = other === undefined ? undefined : (otherSince ?? Date.now());
      if (otherSince !== undefined && Date.now() - otherSince >= OTHER_PORT_MILLISECONDS) {
        throw new NotReadyError(`It listens on port ${other} instead of PORT=${port}.`);
      }
    }
    if (Date.now() - toldAt >= TOLD_MILLISECONDS) {
      toldAt = Date.now();
      options.onWaiting(problem, toldAt - begin);
    }
    await Promise.race([pause(look, signal), group.exited]);
    look = Math.min(CHECK_MILLISECONDS_MAX, look * 1.2);
  }
  const seconds = options.timeoutMilliseconds / 1000;
  throw new NotReadyError(`The server was not ready within ${seconds} s: ${problem}.`);
}
