import type { ListedDeployment } from '../../lib/client/endpoints.ts';
import { isEmptyFirst, numberOf, origins } from '../../lib/client/revision.ts';
import { shortCommit } from './difference.ts';
import { shortSource } from './source.ts';
import { isMoving, type Look, lookOf } from './status.ts';

/** How a deployment stands, in the groups that a list is filtered by. */
export const groups = ['serving', 'moving', 'failing'] as const;
export type Group = (typeof groups)[number];

export const groupWords: Record<Group | 'all', string> = {
  all: 'All',
  serving: 'Serving',
  moving: 'In progress',
  failing: 'Failing',
};

/** So many restarts within an hour are no accident. */
const RESTARTS_MANY = 3;

/** How it looks in a list, and what that means now; `group`: none of them while nothing is deployed. */
export type Standing = { look: Look; under: string; group: Group | undefined };

const serving = (id: string | null, word: string): string =>
  id === null ? 'Nothing serves' : `${numberOf(id)} ${word}`;

/** What comes first is what somebody has to know: that it goes, moves, has failed, restarts; then what serves. */
export function standingOf(deployment: ListedDeployment): Standing {
  const { status, latest_revision: newest, active_revision_id: active, traffic } = deployment;
  if (status === 'AWAITING_DELETE') return { look: lookOf(status), under: '', group: 'moving' };
  if (newest !== null && isEmptyFirst(newest))
    return { look: lookOf('UNUSED'), under: 'Nothing deployed yet', group: undefined };
  if (newest !== null && isMoving(newest.status))
    return { look: lookOf(newest.status), under: serving(active, 'serves'), group: 'moving' };
  if (newest !== null && newest.status.endsWith('_FAILED'))
    return { look: lookOf(newest.status), under: serving(active, 'still serves'), group: 'failing' };
  const restarts = traffic?.restarts ?? 0;
  if (restarts >= RESTARTS_MANY)
    return {
      look: { tone: 'bad', shape: 'cross', word: 'Restarting' },
      under: `${restarts} times this hour`,
      group: 'failing',
    };
  if (status === 'UNKNOWN') return { look: lookOf(status), under: 'Health not known', group: 'failing' };
  if (status === 'READY')
    return {
      look: lookOf(status),
      under: active === null ? '' : `Revision ${numberOf(active)}`,
      group: 'serving',
    };
  return { look: lookOf(status), under: serving(active, 'serves'), group: undefined };
}

/** How many of each group there are. */
export function countsOf(deployments: readonly ListedDeployment[]): Record<Group | 'all', number> {
  const of = Map.groupBy(deployments, (each) => standingOf(each).group);
  const count = (group: Group) => of.get(group)?.length ?? 0;
  return {
    all: deployments.length,
    serving: count('serving'),
    moving: count('moving'),
    failing: count('failing'),
  };
}

/** Where its code comes from, under its name: `support · main`. */
export function sourceLine({
  source,
  source_config: config,
  source_revision_config: at,
}: ListedDeployment): string {
  if (origins[source] === 'image') return 'Image';
  if (origins[source] === 'upload') return 'Upload';
  const repository =
    shortSource(config.repo_url ?? '')
      .split('/')
      .at(-1) ?? '';
  return [repository, at.repo_ref ?? 'main'].filter((each) => each !== '').join(' · ');
}

/** The newest revision in two lines: what it brought, and which it is, of which commit, by whom. */
export function newestLines(deployment: ListedDeployment): { title: string; under: string } | undefined {
  const { latest_revision: newest } = deployment;
  if (newest === null || isEmptyFirst(newest)) return undefined;
  const { repo_commit_sha: sha, image_uri: image } = newest.source_revision_config;
  const upload = origins[newest.source] === 'upload' ? 'An uploaded folder' : undefined;
  const title = newest.commit?.message ?? image ?? upload ?? sourceLine(deployment);
  const parts = [
    `Revision ${numberOf(newest.id)}`,
    ...(sha === null ? [] : [shortCommit(sha)]),
    ...(newest.commit === null ? [] : [newest.commit.author]),
  ];
  return { title, under: parts.join(' · ') };
}
