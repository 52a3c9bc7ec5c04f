import type { Deployment, ListedDeployment, Permission, Revision } from '../../lib/client/endpoints.ts';
import { numberOf } from '../../lib/client/revision.ts';
import { actionsOn, type Verb } from './actions.ts';

/** What choosing an entry does: it leads somewhere, or asks to confirm something. */
export type Deed =
  | { kind: 'go'; to: string }
  | { kind: 'visit'; url: string }
  | { kind: 'interrupt'; revision: Revision }
  | { kind: 'again'; revision: Revision; verb: Verb };

export type Entry = { title: string; hint: string; deed: Deed };

type PageEntry = { title: string; to: string; needs?: Permission };

const pages: PageEntry[] = [
  { title: 'Deployments', to: '/deployments' },
  { title: 'New deployment', to: '/deployments/new', needs: 'deployments:write' },
  { title: 'Sign in a program', to: '/device' },
];

const go = (title: string, hint: string, to: string): Entry => ({ title, hint, deed: { kind: 'go', to } });

/** The pages that these permissions open. */
export const pageEntries = (permissions: readonly Permission[]): Entry[] =>
  pages
    .filter(({ needs }) => needs === undefined || permissions.includes(needs))
    .map(({ title, to }) => go(title, 'Page', to));

export const deploymentEntries = (found: readonly ListedDeployment[]): Entry[] =>
  found.map(({ id, name, display_name }) => go(display_name ?? name, 'Deployment', `/deployments/${id}`));

/** The id of the deployment that a place is of. */
export const deploymentAt = (place: string): string | undefined =>
  /^\/deployments\/([0-9a-f-]{36})(?:\/|$)/.exec(place)?.[1];

/** What can be done with the deployment that is open, and with its revisions, newest first. */
export function actionEntries(
  deployment: Deployment,
  revisions: readonly Revision[],
  permissions: readonly Permission[],
): Entry[] {
  const { id, name, url, active_revision_id: activeId } = deployment;
  const [newest] = revisions;
  const entries: Entry[] = [];
  if (newest !== undefined)
    entries.push(
      go(`Log of revision ${numberOf(newest.id)}`, name, `/deployments/${id}/revisions/${newest.id}`),
    );
  if (url !== null) entries.push({ title: 'Open its address', hint: name, deed: { kind: 'visit', url } });
  if (!permissions.includes('deployments:write')) return entries;
  if (activeId !== null && deployment.status !== 'AWAITING_DELETE')
    entries.push(go('Try', name, `/deployments/${id}/try`));
  if (deployment.status !== 'AWAITING_DELETE')
    entries.push(go('Settings', name, `/deployments/${id}/settings`));
  const active = revisions.find((each) => each.id === activeId);
  for (const revision of revisions) {
    const { canStop, again: verb } = actionsOn(revision, deployment, active);
    const number = numberOf(revision.id);
    if (canStop)
      entries.push({
        title: `Interrupt revision ${number}`,
        hint: name,
        deed: { kind: 'interrupt', revision },
      });
    if (verb !== undefined) {
      const title = `${verb} ${verb === 'Roll back' ? 'to ' : ''}revision ${number}`;
      entries.push({ title, hint: name, deed: { kind: 'again', revision, verb } });
    }
  }
  return entries;
}

/** The entries that hold every word that was typed, those that begin with it first. */
export function matching(entries: readonly Entry[], typed: string): Entry[] {
  const text = typed.trim().toLowerCase();
  const words = text.split(/\s+/);
  const found = entries.filter(({ title, hint }) => {
    const own = `${title} ${hint}`.toLowerCase();
    return words.every((word) => own.includes(word));
  });
  const begins = ({ title }: Entry) => title.toLowerCase().startsWith(text);
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))];
}
