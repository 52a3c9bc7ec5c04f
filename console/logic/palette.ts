import type { Deployment, Permission, Revision } from '../../lib/client/endpoints.ts';
import { numberOf, origins } from '../../lib/client/revision.ts';
import { actionsOn, type Verb } from './actions.ts';
import { match, type Range } from './fuzzy.ts';
import { placesFor } from './places.ts';
import { lookOf } from './status.ts';

/** What choosing an entry does: it leads somewhere, or asks to confirm something. */
export type Deed =
  | { kind: 'go'; to: string }
  | { kind: 'visit'; url: string }
  | { kind: 'latest'; deployment: Deployment }
  | { kind: 'back'; deployment: Deployment; activeId: string }
  | { kind: 'interrupt'; revision: Revision }
  | { kind: 'again'; revision: Revision; verb: Verb };

/** What an entry is about, which its icon shows. */
export type About =
  | 'page'
  | 'new'
  | 'deployment'
  | 'try'
  | 'logs'
  | 'metrics'
  | 'latest'
  | 'back'
  | 'settings'
  | 'visit'
  | 'again'
  | 'stop'
  | 'recent';

/** `hint`: in small letters at its end. `group`: what it stands under while nothing, or little, is typed. */
export type Entry = { title: string; hint: string; group: string; about: About; deed: Deed };
export type Found = Entry & { ranges: Range[] };

const go = (title: string, to: string, more: Omit<Entry, 'title' | 'deed'>): Entry => ({
  title,
  deed: { kind: 'go', to },
  ...more,
});

/** The pages that these permissions open, and what can be begun anywhere. */
export function pageEntries(permissions: readonly Permission[]): Entry[] {
  const page = { hint: '', group: 'Pages', about: 'page' } as const;
  const places = placesFor(permissions).map(({ title, path }) => go(title, path, page));
  const canWrite = permissions.includes('deployments:write');
  return [
    ...places,
    ...(canWrite ? [go('New deployment', '/deployments/new', { ...page, about: 'new' })] : []),
    go('Sign in a program', '/device', page),
  ];
}

const isOpenable = (permissions: readonly Permission[]): boolean => permissions.includes('deployments:write');

const nameOf = ({ display_name: shown, name }: Pick<Deployment, 'display_name' | 'name'>): string =>
  shown ?? name;

/** What begins with a dialog that asks first. */
function shipping(deployment: Deployment, name: string): Entry[] {
  const entries: Entry[] = [];
  const of = { hint: '', group: name } as const;
  if (origins[deployment.source] === 'repository')
    entries.push({
      ...of,
      title: `Deploy latest of ${name}…`,
      about: 'latest',
      deed: { kind: 'latest', deployment },
    });
  const { active_revision_id: activeId } = deployment;
  if (activeId !== null && numberOf(activeId) > 1) {
    const deed = { kind: 'back', deployment, activeId } as const;
    entries.push({ ...of, title: `Roll back ${name}…`, about: 'back', deed });
  }
  return entries;
}

/** Where a deployment can be looked at. */
export function deploymentEntries(found: readonly Deployment[], permissions: readonly Permission[]): Entry[] {
  return found.flatMap((each) => {
    const { id, status, active_revision_id: active } = each;
    const name = nameOf(each);
    const to = `/deployments/${id}`;
    const isThere = status !== 'AWAITING_DELETE' && isOpenable(permissions);
    return [
      go(`Go to ${name}`, to, { hint: lookOf(status).word, group: name, about: 'deployment' }),
      ...(isThere && active !== null
        ? [go(`Try ${name}`, `${to}/try`, { hint: '', group: name, about: 'try' })]
        : []),
      go(`Logs of ${name}`, `${to}/logs`, { hint: '', group: name, about: 'logs' }),
      go(`Metrics of ${name}`, `${to}/metrics`, { hint: '', group: name, about: 'metrics' }),
      ...(isThere ? shipping(each, name) : []),
      ...(isThere
        ? [go(`Settings of ${name}`, `${to}/settings`, { hint: '', group: name, about: 'settings' })]
        : []),
    ];
  });
}

/** The id of the deployment that a place is of. */
export const deploymentAt = (place: string): string | undefined =>
  /^\/deployments\/([0-9a-f-]{36})(?:\/|$)/.exec(place)?.[1];

/** What can be done with the deployment that is open, and with its revisions, newest first. */
export function actionEntries(
  deployment: Deployment,
  revisions: readonly Revision[],
  permissions: readonly Permission[],
): Entry[] {
  const { id, url, active_revision_id: activeId } = deployment;
  const name = nameOf(deployment);
  const [newest] = revisions;
  const entries: Entry[] = [];
  if (newest !== undefined) {
    const title = `Log of revision ${numberOf(newest.id)} of ${name}`;
    entries.push(
      go(title, `/deployments/${id}/revisions/${newest.id}`, { hint: '', group: name, about: 'logs' }),
    );
  }
  if (url !== null) {
    const title = `Open the address of ${name}`;
    entries.push({ title, hint: 'New tab', group: name, about: 'visit', deed: { kind: 'visit', url } });
  }
  if (!isOpenable(permissions)) return entries;
  const active = revisions.find((each) => each.id === activeId);
  for (const revision of revisions) {
    const { canStop, again: verb } = actionsOn(revision, deployment, active);
    const number = numberOf(revision.id);
    if (canStop) {
      const deed = { kind: 'interrupt', revision } as const;
      entries.push({
        title: `Interrupt revision ${number} of ${name}…`,
        hint: '',
        group: name,
        about: 'stop',
        deed,
      });
    }
    if (verb !== undefined) {
      const deed = { kind: 'again', revision, verb } as const;
      const title =
        verb === 'Roll back'
          ? `Roll back ${name} to revision ${number}…`
          : `${verb} revision ${number} of ${name}…`;
      entries.push({ title, hint: '', group: name, about: 'again', deed });
    }
  }
  return entries;
}

/** A page somebody was on lately, as the palette keeps it. */
export type Recent = { title: string; to: string };
const RECENTS_MAX = 5;

export const recentEntries = (recents: readonly Recent[]): Entry[] =>
  recents.map(({ title, to }) => go(title, to, { hint: '', group: 'Recent', about: 'recent' }));

/** The recent pages with this one before them, each once. */
export const withRecent = (recents: readonly Recent[], recent: Recent): Recent[] =>
  [recent, ...recents.filter(({ to }) => to !== recent.to)].slice(0, RECENTS_MAX);

/** What is kept, if it is what this version keeps. */
export function recentsIn(text: string | null): Recent[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(kept)) return [];
  return kept
    .filter(
      (each: unknown): each is Recent =>
        typeof each === 'object' &&
        each !== null &&
        'title' in each &&
        typeof each.title === 'string' &&
        'to' in each &&
        typeof each.to === 'string' &&
        each.to.startsWith('/'),
    )
    .slice(0, RECENTS_MAX);
}

/** What leads to a whole deployment comes before what leads into it. */
const WHOLE = 0.5;

/**
 * The entries that suit what is typed, the best first, each title once. With nothing typed they stay in their
 * order, with what is recent first.
 */
export function matching(entries: readonly Entry[], typed: string, most: number): Found[] {
  const scored = entries.flatMap((entry) => {
    const found = match(entry.title, typed);
    if (found === undefined) return [];
    const isWhole = entry.about === 'deployment' || entry.about === 'page';
    return [{ entry, ranges: found.ranges, score: found.score + (isWhole ? WHOLE : 0) }];
  });
  const sorted = typed.trim() === '' ? scored : scored.toSorted((one, other) => other.score - one.score);
  const byTitle = new Map<string, Found>();
  for (const { entry, ranges } of sorted)
    if (!byTitle.has(entry.title)) byTitle.set(entry.title, { ...entry, ranges });
  return [...byTitle.values()].slice(0, most);
}

/** The entries in groups, in which the first one stands alone as soon as something is typed. */
export function grouped(found: readonly Found[], typed: string): { title: string; entries: Found[] }[] {
  const [best, ...rest] = found;
  if (best === undefined) return [];
  const groups = Map.groupBy(typed.trim() === '' ? found : rest, ({ group }) => group);
  const others = [...groups].map(([title, entries]) => ({ title, entries }));
  return typed.trim() === '' ? others : [{ title: 'Best match', entries: [best] }, ...others];
}
