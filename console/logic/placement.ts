import type { Deployment, Listener } from '../../lib/client/endpoints.ts';
import { kindOf } from './listener.ts';
import type { SourceKind } from './save-plan.ts';

type Known = Pick<Listener, 'id' | 'compute_type' | 'compute_id' | 'status' | 'is_default' | 'created_at'>;

const runsImages: Record<Listener['compute_type'], boolean> = { k8s: true, ecs: true, process: false };
// A page that was loaded before an update may meet a type that it does not know.
const known: Partial<Record<string, boolean>> = runsImages;

/** Whether images are built and run there; undefined: of a type that this page does not know. */
export const buildsImages = ({ compute_type: type }: Pick<Listener, 'compute_type'>): boolean | undefined =>
  known[type];

/** Whether a deployment of this source can run there. */
export const canRun = (listener: Pick<Listener, 'compute_type'>, kind: SourceKind): boolean =>
  kind !== 'image' || buildsImages(listener) !== false;

/** The listener that is chosen where nobody names one: the marked one, else the oldest that is online. */
export function chosenListener<L extends Known>(listeners: readonly L[], kind: SourceKind): L | undefined {
  const able = listeners.filter((each) => canRun(each, kind));
  const oldest = able
    .filter(({ status }) => status === 'ONLINE')
    .toSorted((one, other) => one.created_at.localeCompare(other.created_at));
  return able.find((each) => each.is_default) ?? oldest[0];
}

const statusWords: Record<Listener['status'], string> = {
  ONLINE: '',
  OFFLINE: ', offline',
  NEVER_SEEN: ', never started',
};

/** `Machine, offline` */
export const listenerHint = (listener: Pick<Listener, 'compute_type' | 'status'>): string =>
  `${kindOf(listener)}${statusWords[listener.status]}`;

/**
 * Where a deployment of this name will answer, as others that run there tell; undefined: none does. Names
 * with `_` get a part of their id in addresses, so nothing is said of them.
 */
export function addressOf(
  name: string,
  listenerId: string | undefined,
  others: readonly Pick<Deployment, 'name' | 'url' | 'source_config'>[],
): string | undefined {
  if (name === '' || name.includes('_') || listenerId === undefined) return undefined;
  for (const { name: theirs, url, source_config: set } of others) {
    if (url === null || set.listener_id !== listenerId || theirs.includes('_') || !URL.canParse(url))
      continue;
    const { protocol, host, pathname } = new URL(url);
    const isSubdomain = host.startsWith(`${theirs}.`);
    const isPath = pathname.replace(/\/$/, '').endsWith(`/${theirs}`);
    if (isSubdomain) return `${protocol}//${name}${host.slice(theirs.length)}${pathname}`.replace(/\/$/, '');
    if (isPath) return `${protocol}//${host}${pathname.replace(/\/$/, '').slice(0, -theirs.length)}${name}`;
  }
  return undefined;
}
