import type { Deployment } from '../../client/endpoints.ts';
import { numberOf } from '../../client/revision.ts';
import { Ended, exits } from './ends.ts';
import { followRevision } from './follow.ts';
import { plain } from './output.ts';
import type { Shell } from './shell.ts';
import { statusCell } from './shown.ts';

/** How long commands wait for a revision unless told otherwise: longer than builds and deploys may take. */
const TIMEOUT_SECONDS = 3_600;

/** Timers take no longer ones. */
const TIMEOUT_SECONDS_MAX = 86_400 * 7;

/** Flags of every command that makes a revision. */
export const waitFlags = {
  'no-wait': { says: 'return once the revision is accepted' },
  timeout: { value: 'SECONDS', says: `wait no longer than this (default: ${TIMEOUT_SECONDS})` },
} as const;
type WaitFlags = { 'no-wait'?: boolean; timeout?: string };

/** The flag `--timeout` in seconds. Throws `Ended` for what is no number. */
export function timeoutSecondsOf({ timeout }: WaitFlags): number {
  const seconds = timeout === undefined ? TIMEOUT_SECONDS : Number(timeout);
  if (seconds > 0 && seconds <= TIMEOUT_SECONDS_MAX) return seconds;
  throw new Ended(
    `--timeout is a number of seconds, at most ${TIMEOUT_SECONDS_MAX}, not '${timeout}'.`,
    exits.usage,
  );
}

/** Waits for a revision unless told otherwise, and prints where the deployment answers. */
export async function finish(
  shell: Shell,
  { id, name, latest_revision_id: revisionId }: Pick<Deployment, 'id' | 'name' | 'latest_revision_id'>,
  given: WaitFlags,
): Promise<void> {
  const revision = numberOf(revisionId);
  const base = { id, name, revision_id: revisionId, revision };
  if (given['no-wait'] === true) {
    shell.output.result({ ...base, status: 'QUEUED', url: null }, [`${name}: revision ${revision} accepted`]);
    return;
  }
  const { status } = await followRevision(shell, { id, name }, revisionId, timeoutSecondsOf(given));
  const { url } = await shell.client.ask(
    'GET /v2/deployments/{deployment_id}',
    { params: { deployment_id: id } },
    { signal: shell.world.signal },
  );
  const { text, style } = statusCell(status);
  shell.output.say(`${name}: revision ${revision} ${text}`, style);
  shell.output.result({ ...base, status, url }, [url === null ? `${name} has no address` : plain(url)]);
}
