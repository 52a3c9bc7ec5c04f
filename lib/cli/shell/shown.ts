import type { Deployment, Revision } from '../../client/endpoints.ts';
import { numberOf, origins } from '../../client/revision.ts';
import type { Cell, Style } from './output.ts';

const words: Partial<Record<Revision['status'] | Deployment['status'], [word: string, style: Style]>> = {
  CREATING: ['creating', 'cyan'],
  QUEUED: ['queued', 'dim'],
  AWAITING_BUILD: ['waiting to build', 'cyan'],
  BUILDING: ['building', 'cyan'],
  AWAITING_DEPLOY: ['waiting to deploy', 'cyan'],
  DEPLOYING: ['deploying', 'cyan'],
  CREATE_FAILED: ['create failed', 'red'],
  BUILD_FAILED: ['build failed', 'red'],
  DEPLOY_FAILED: ['deploy failed', 'red'],
  DEPLOYED: ['deployed', 'green'],
  SKIPPED: ['skipped', 'dim'],
  INTERRUPTED: ['interrupted', 'yellow'],
  UNKNOWN: ['unknown', 'yellow'],
  UNUSED: ['not serving', 'dim'],
  READY: ['serving', 'green'],
  AWAITING_DELETE: ['being deleted', 'yellow'],
};

/** A status as people read it; one that this version does not know by its own name. */
export function statusCell(status: Revision['status'] | Deployment['status']): {
  text: string;
  style: Style;
} {
  const [text, style] = words[status] ?? [status.toLowerCase().replaceAll('_', ' '), 'yellow'];
  return { text, style };
}

/** `3 deployed`. */
export const revisionText = ({ id, status }: Pick<Revision, 'id' | 'status'>): string =>
  `${numberOf(id)}, ${statusCell(status).text}`;

const COMMIT_CHARACTERS = 7;

/** Where a revision comes from, in one line. */
export function sourceText(
  source: Deployment['source'],
  { repo_ref: ref, repo_commit_sha: sha, image_uri: image }: Deployment['source_revision_config'],
): string {
  if (origins[source] === 'image' || image !== null) return image ?? 'an image';
  if (origins[source] === 'upload') return 'upload';
  const commit = sha === null ? [] : [sha.slice(0, COMMIT_CHARACTERS)];
  return [ref ?? 'main', ...commit].join(' @ ');
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a time is, by its largest unit: `3 min`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.max(0, Math.round(milliseconds / SECOND))} s`;
  if (milliseconds < HOUR) return `${Math.round(milliseconds / MINUTE)} min`;
  return milliseconds < 2 * DAY
    ? `${Math.round(milliseconds / HOUR)} h`
    : `${Math.round(milliseconds / DAY)} days`;
}

/** A time: for people how long ago, for programs the time itself. */
export const timeCell = (at: string, now: number, isForPeople: boolean): Cell =>
  isForPeople ? `${durationText(now - Date.parse(at))} ago` : at;
