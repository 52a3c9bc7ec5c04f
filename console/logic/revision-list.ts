import type { Deployment, Revision } from '../../lib/client/endpoints.ts';
import { numberOf } from '../../lib/client/revision.ts';
import { type Stage, stagesOf, totalOf } from './stages.ts';
import { isMoving, lookOf, type Shape, type Tone } from './status.ts';

/** How a revision stands, seen from what serves: in a word, and how that looks. */
export type Standing = { tone: Tone; shape: Shape | 'check'; word: string };

/** By the plural rules of English: 21st, but 11th. */
const ORDINALS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal = (place: number): string => `${place}${ORDINALS[ordinals.select(place)] ?? 'th'}`;

/**
 * How a revision of a list stands. `later`: the revision that took over from it, where the list has it: of
 * one that was replaced by an earlier one it was rolled back.
 */
export function standingOf(
  revision: Pick<Revision, 'id' | 'status' | 'queue_position'>,
  { active_revision_id: active }: Pick<Deployment, 'active_revision_id'>,
  later?: Pick<Revision, 'cause'>,
): Standing {
  const { id, status, queue_position: place } = revision;
  if (id === active && !isMoving(status)) return { tone: 'ok', shape: 'disc', word: 'Serving' };
  if (status === 'QUEUED' && place !== null)
    return { tone: 'idle', shape: 'ring', word: `Waiting, ${ordinal(place)}` };
  if (status === 'DEPLOYED')
    return { tone: 'idle', shape: 'check', word: isBack(later, id) ? 'Rolled back' : 'Replaced' };
  return lookOf(status);
}

const isBack = (later: Pick<Revision, 'cause'> | undefined, id: string): boolean =>
  later?.cause.kind === 'redeploy' &&
  later.cause.revision_id !== null &&
  numberOf(later.cause.revision_id) < numberOf(id);

/** For each revision of a list, newest first, the one that took over from it. */
export function takersOver(revisions: readonly Revision[]): Map<string, Revision> {
  const takers = new Map<string, Revision>();
  let later: Revision | undefined;
  for (const revision of revisions) {
    if (revision.status !== 'DEPLOYED') continue;
    if (later !== undefined) takers.set(revision.id, later);
    later = revision;
  }
  return takers;
}

/** What a revision is of, in one line: its commit's message, or what it runs else. */
export function titleOf({ commit, cause, source_revision_config: at }: Revision): string {
  const message = commit?.message.split('\n', 1)[0]?.trim() ?? '';
  if (message !== '') return message;
  if (at.image_uri !== null) return at.image_uri;
  if (cause.kind === 'redeploy' && cause.revision_id !== null)
    return `Revision ${numberOf(cause.revision_id)} again`;
  if (at.source_tarball_path !== null) return 'Uploaded folder';
  return at.repo_ref === null ? 'Another configuration' : `A commit of ${at.repo_ref}`;
}

type Told = { sha: string; message: string | null; author: string | null; at: string | null };
type HeadOf = { head: Told | null; commits: readonly Told[] };

/**
 * A revision with what its commit says. A push tells that itself; of one that somebody asked for, it is known
 * as long as the branch's newest commits hold it.
 */
export function described(revision: Revision, known: HeadOf | undefined): Revision {
  const { commit, source_revision_config: at } = revision;
  if (commit !== null || known === undefined) return revision;
  const found = [known.head, ...known.commits].find((each) => each?.sha === at.repo_commit_sha);
  if (!found || found.message === null || found.author === null || found.at === null) return revision;
  return { ...revision, commit: { message: found.message, author: found.author, at: found.at } };
}

/** The author of a commit, without the address behind the name; null: nobody told. */
export function authorOf({ commit }: Pick<Revision, 'commit'>): string | null {
  const author = commit?.author.split('<', 1)[0]?.trim() ?? '';
  return author === '' ? null : author;
}

/** Who made a revision: of a push the author of its commit; null: nobody told. */
export function makerOf({
  commit,
  created_by: maker,
}: Pick<Revision, 'commit' | 'created_by'>): string | null {
  const author = authorOf({ commit });
  return maker.kind === 'person' || maker.kind === 'key' ? (maker.name ?? author) : author;
}

/**
 * Time in queue, build and deploy as shares of the longest of a list; the last of a failed one is where it
 * failed.
 */
export type Bar = { kind: Stage['kind'] | 'failed'; x: number; width: number };

const GAP = 1;
const LEAST = 1.5;

/** The bar of a revision, in percent of the longest; `longest` in milliseconds. */
export function barOf(stages: readonly Stage[], longest: number, isFailed: boolean): Bar[] {
  if (longest <= 0) return [];
  let x = 0;
  return stages.map(({ kind, milliseconds }, index) => {
    const width = Math.max(LEAST, (milliseconds / longest) * 100);
    const bar = {
      kind: isFailed && index === stages.length - 1 ? ('failed' as const) : kind,
      x,
      width: Math.max(LEAST, Math.min(width - GAP, 100 - x)),
    };
    x += width;
    return bar;
  });
}

export const isFailed = (status: string): boolean => status.endsWith('_FAILED');

/** The longest life in a list, in milliseconds; those that wait behind others do not count. */
export const longestOf = (revisions: readonly Revision[], now: number): number =>
  Math.max(0, ...revisions.map((revision) => totalOf(stagesOf(revision, now))));

/** What the list can be narrowed to, and the statuses of each. */
export const standings = {
  served: { title: 'Served', statuses: ['DEPLOYED'] },
  failed: { title: 'Failed', statuses: ['BUILD_FAILED', 'DEPLOY_FAILED', 'CREATE_FAILED'] },
  moving: {
    title: 'In progress',
    statuses: ['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING', 'UNKNOWN'],
  },
  stopped: { title: 'Stopped', statuses: ['INTERRUPTED', 'SKIPPED'] },
} as const satisfies Record<string, { title: string; statuses: readonly Revision['status'][] }>;
export type StandingFilter = keyof typeof standings;
export const standingNames = ['served', 'failed', 'moving', 'stopped'] as const satisfies StandingFilter[];

/** What made them, as people choose it. */
export const causes = {
  push: { title: 'A push', kinds: ['push', 'head'] },
  request: { title: 'A deploy by hand', kinds: ['request'] },
  redeploy: { title: 'A roll back or restart', kinds: ['redeploy'] },
} as const satisfies Record<string, { title: string; kinds: readonly Revision['cause']['kind'][] }>;
export type CauseFilter = keyof typeof causes;
export const causeNames = ['push', 'request', 'redeploy'] as const satisfies CauseFilter[];
