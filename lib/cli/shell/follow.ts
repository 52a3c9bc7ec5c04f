import type { Deployment, LogEntry, Revision } from '../../client/endpoints.ts';
import { numberOf } from '../../client/revision.ts';
import { Ended, type Exit, exits } from './ends.ts';
import type { Shell } from './shell.ts';
import { durationText, statusCell } from './shown.ts';

const LOGS = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs';
const TICK_MILLISECONDS = 1_000;
/** A service that does not end the log of an ended revision is not waited for longer. */
const LAST_LINES_MILLISECONDS = 3_000;
/** As long as on AWS, where what a build printed last comes seconds after its end, and may say why it failed. */
const REASON_MILLISECONDS = 15_000;

export type Ids = { deployment_id: string; revision_id: string };
type LogType = 'build' | 'deploy';

const exitOf: Partial<Record<Revision['status'], Exit>> = {
  CREATE_FAILED: exits.failed,
  BUILD_FAILED: exits.failed,
  DEPLOY_FAILED: exits.failed,
  INTERRUPTED: exits.interrupted,
};

/**
 * Waits for a revision's end, showing its build log meanwhile. Gives it when it serves or had nothing to do;
 * throws `Ended` with the reason, and the lines that matter, when it failed, was interrupted or takes longer
 * than `timeoutSeconds`.
 */
export async function followRevision(
  shell: Shell,
  { id, name }: Pick<Deployment, 'id' | 'name'>,
  revisionId: string,
  timeoutSeconds: number,
): Promise<Revision> {
  const ids: Ids = { deployment_id: id, revision_id: revisionId };
  const late = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1_000));
  const stop = new AbortController();
  const signal = AbortSignal.any([shell.world.signal, late, stop.signal]);
  const begun = shell.world.now();
  const lines = showBuildLog(shell, ids, signal);
  let doing = 'queued';
  const draw = () => shell.output.progress(`${name}: ${doing}, ${durationText(shell.world.now() - begun)}`);
  const ticking = setInterval(draw, TICK_MILLISECONDS);
  try {
    const revision = await shell.client.waitForRevision(ids, {
      signal,
      onChange: ({ status, status_message: reason }) => {
        doing = statusCell(status).text;
        const why = reason === null || status in exitOf ? '' : `: ${reason}`;
        if (!shell.output.isLive) shell.output.say(`${name}: ${doing}${why}`);
        draw();
      },
      onProblem: (problem) =>
        void (problem !== undefined && shell.output.say(`${problem.detail} Waiting.`, 'yellow')),
    });
    const patience = exitOf[revision.status] === exits.failed ? REASON_MILLISECONDS : LAST_LINES_MILLISECONDS;
    await Promise.race([lines, pauseOf(patience, signal)]);
    return await checked(shell, ids, name, revision);
  } catch (error) {
    if (error instanceof Ended || !signal.aborted) throw error;
    if (shell.world.signal.aborted)
      throw new Ended(
        `Revision ${numberOf(revisionId)} of ${name} goes on (${doing}): slipway interrupt ${name} stops it.`,
        exits.interrupted,
        ids,
      );
    throw new Ended(
      `Revision ${numberOf(revisionId)} of ${name} is not done after ${timeoutSeconds} s (${doing}). It goes on: slipway status ${name}`,
      exits.timedOut,
      ids,
    );
  } finally {
    clearInterval(ticking);
    stop.abort();
    shell.output.progress('');
    await lines;
  }
}

/** Resolves, as what it waits for is not needed. */
const pauseOf = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });

/** Shows lines until the log ends; what keeps them away does not keep anybody from waiting. */
async function showBuildLog({ client, output }: Shell, ids: Ids, signal: AbortSignal): Promise<void> {
  try {
    const parts = { params: ids, query: { type: 'build' as const } };
    for await (const { message } of client.follow(LOGS, parts, { signal, onProblem: () => undefined }))
      output.sayLog(message);
  } catch (error) {
    if (!signal.aborted) output.say(`The log cannot be shown: ${String(error)}`, 'yellow');
  }
}

async function checked(shell: Shell, ids: Ids, name: string, revision: Revision): Promise<Revision> {
  const { status, status_message: reason } = revision;
  const exit = exitOf[status];
  if (exit === undefined) return revision;
  const what = `Revision ${numberOf(revision.id)} of ${name}: ${statusCell(status).text}`;
  const lines = exit === exits.failed ? await linesThatMatter(shell, ids, status) : [];
  // The build's lines were shown as they came.
  if (status === 'DEPLOY_FAILED') for (const { message } of lines) shell.output.sayLog(message);
  const more = { ...ids, name, status, reason, lines: lines.map(({ message }) => message) };
  throw new Ended(reason === null ? `${what}.` : `${what}: ${reason}`, exit, more);
}

const READ_LINES = 200;
const SHOWN_LINES = 12;

/** The log in which a revision of this status tells why. */
export const logOf = (status: Revision['status']): LogType =>
  ['DEPLOY_FAILED', 'DEPLOYED', 'DEPLOYING', 'UNKNOWN'].includes(status) ? 'deploy' : 'build';

/** The last errors of a log with what stands before and after each; where there are none, its last lines. */
export async function linesThatMatter(
  { client, world }: Shell,
  params: Ids,
  status: Revision['status'],
): Promise<LogEntry[]> {
  const query = { type: logOf(status), order: 'desc' as const, limit: READ_LINES };
  const { logs } = await client.ask(LOGS, { params, query }, { signal: world.signal });
  const last = logs.toReversed();
  const isNear = (at: number) => [at - 1, at, at + 1].some((each) => last[each]?.level === 'ERROR');
  const errors = last.filter((_, at) => isNear(at));
  return (errors.length > 0 ? errors : last).slice(-SHOWN_LINES);
}
