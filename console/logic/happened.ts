import type { Answer } from '../../lib/client/endpoints.ts';
import type { ActivityKind, AttentionKind } from '../../lib/features/activity/shape.ts';
import type { Tone } from './status.ts';

export type Happened = Answer<'GET /v2/activity'>['resources'][number];
export type Need = Answer<'GET /v2/attention'>['resources'][number];

/** How an entry looks; `mark` names its icon. */
export type Mark =
  | 'begun'
  | 'failed'
  | 'done'
  | 'back'
  | 'stopped'
  | 'unwell'
  | 'offline'
  | 'settings'
  | 'key'
  | 'person'
  | 'link';

const looks: Record<ActivityKind, readonly [mark: Mark, tone: Tone]> = {
  deployment_created: ['begun', 'busy'],
  deployment_changed: ['settings', 'idle'],
  deployment_deleted: ['stopped', 'idle'],
  revision_begun: ['begun', 'busy'],
  revision_rolled_back: ['back', 'idle'],
  revision_stopped: ['stopped', 'idle'],
  revision_took_over: ['done', 'ok'],
  revision_failed: ['failed', 'bad'],
  deployment_unhealthy: ['unwell', 'bad'],
  deployment_healthy: ['done', 'ok'],
  threads_expired: ['unwell', 'warn'],
  threads_released: ['done', 'idle'],
  listener_offline: ['offline', 'warn'],
  listener_online: ['done', 'ok'],
  listener_changed: ['settings', 'idle'],
  integration_changed: ['link', 'idle'],
  webhook_changed: ['link', 'idle'],
  webhook_disabled: ['unwell', 'warn'],
  key_changed: ['key', 'idle'],
  member_changed: ['person', 'idle'],
  provider_changed: ['link', 'idle'],
  grant_expired: ['key', 'warn'],
  signed_in: ['key', 'idle'],
};

/** How an entry looks; a kind that this version does not know is told all the same. */
export function markOf(kind: string): readonly [mark: Mark, tone: Tone] {
  const known: Record<string, readonly [Mark, Tone]> = looks;
  return (Object.hasOwn(known, kind) ? known[kind] : undefined) ?? ['settings', 'idle'];
}

/** What a feed can be narrowed to. */
export const topics = {
  all: 'All',
  deploys: 'Deploys',
  trouble: 'Trouble',
  settings: 'Settings and access',
} as const;
export type Topic = keyof typeof topics;

export function isAbout(topic: Topic, kind: string): boolean {
  const [mark, tone] = markOf(kind);
  if (topic === 'all') return true;
  if (topic === 'trouble') return tone === 'bad' || tone === 'warn';
  const isDeploy =
    kind.startsWith('revision_') || kind === 'deployment_created' || kind === 'deployment_deleted';
  if (topic === 'deploys') return isDeploy;
  return !isDeploy && ['settings', 'key', 'person', 'link'].includes(mark);
}

type Part = { text: string; isName: boolean };

const isLetter = (text: string | undefined): boolean => text !== undefined && /[\p{L}\p{N}_-]/u.test(text);

/** Where a name stands in a text as a word of its own; -1: nowhere. */
function placeOf(text: string, name: string): number {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + name.length])) return at;
  }
  return -1;
}

/** The parts of a sentence, with the names in it apart, each once. */
export function partsOf(says: string, names: readonly (string | undefined)[]): Part[] {
  const places = names
    .flatMap((name) => {
      const at = name === undefined || name === '' ? -1 : placeOf(says, name);
      return name === undefined || at === -1 ? [] : [{ at, end: at + name.length }];
    })
    .toSorted((one, other) => one.at - other.at || other.end - one.end);
  const parts: Part[] = [];
  let done = 0;
  for (const { at, end } of places) {
    if (at < done) continue;
    parts.push({ text: says.slice(done, at), isName: false }, { text: says.slice(at, end), isName: true });
    done = end;
  }
  parts.push({ text: says.slice(done), isName: false });
  return parts.filter(({ text }) => text !== '');
}

export const namesIn = ({ actor, deployment, subject }: Happened): (string | undefined)[] => [
  actor?.name,
  deployment?.name,
  subject?.name,
];

/** Where an entry leads; undefined: nowhere. */
export function placeOfEntry({ deployment, revision, kind, subject }: Happened): string | undefined {
  if (deployment !== null)
    return revision === null
      ? `/deployments/${deployment.id}`
      : `/deployments/${deployment.id}/revisions/${revision.id}`;
  if (subject !== null && kind.startsWith('listener_')) return `/listeners/${subject.id}`;
  if (subject !== null && kind.startsWith('webhook_')) return `/webhooks/${subject.id}`;
  return undefined;
}

type Deed = { title: string; to: string };

/** What is done about it: one thing. */
export function deedFor({ kind, deployment, revision, subject }: Need): Deed {
  const ofDeployment = `/deployments/${deployment?.id ?? ''}`;
  const ofRevision = revision === null ? ofDeployment : `${ofDeployment}/revisions/${revision.id}`;
  const deeds: Record<AttentionKind, Deed> = {
    deployment_failed: { title: 'See why', to: ofRevision },
    crash_loop: { title: 'Open logs', to: `${ofDeployment}/logs` },
    unhealthy: { title: 'Open logs', to: `${ofDeployment}/logs` },
    listener_offline: { title: 'Check', to: `/listeners/${subject?.id ?? ''}` },
    webhook_failing: { title: 'Check', to: `/webhooks/${subject?.id ?? ''}` },
    key_expiring: { title: 'Renew', to: '/access' },
  };
  return deeds[kind];
}

/** What each thing of this kind that needs somebody means, by its id. */
export const effectsOf = (needs: readonly Need[], kind: AttentionKind): Map<string, string> =>
  new Map(
    needs.flatMap((each) =>
      each.kind === kind && each.subject !== null ? [[each.subject.id, each.effect] as const] : [],
    ),
  );

/** Whether something is broken, or only needs somebody. */
export const toneOfNeed = (kind: AttentionKind): 'bad' | 'warn' =>
  kind === 'deployment_failed' || kind === 'crash_loop' || kind === 'unhealthy' ? 'bad' : 'warn';
