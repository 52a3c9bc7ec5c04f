import { countOneLess } from '../../store/counts.ts';
import {
  absent,
  all,
  any,
  check,
  contains,
  equals,
  guard,
  lacks,
  present,
  putNew,
  remove,
  same,
  update,
} from '../../store/dynamodb/expressions.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { computeIdKey, type Key, lastSeenKey, listenerKey, listenerRowKey } from '../../store/keys/index.ts';
import { unmeasuredKey } from '../../store/keys/metrics.ts';
import { listenerPresenceKey } from '../../store/keys/presence.ts';
import type { AuditMark } from './audit-events.ts';
import { dropMark } from './default-listener.ts';
import type { Listener } from './items.ts';
import { removeVersions } from './placements.ts';

// A listener's item and its row in the list say the same, and are written together.

const stillThere = guard('listener: still there', present('pk'));

type Place = { name: string; key: Key; isRow: boolean };

const onBoth = ({ tenant_id: tenantId, id }: Listener, write: (place: Place) => Write): Write[] => [
  write({ name: 'listener', key: listenerKey(tenantId, id), isRow: false }),
  write({ name: 'listener_row', key: listenerRowKey(tenantId, id), isRow: true }),
];

/**
 * Registers a listener. Demands that no other one of its tenant has the compute id (the write `compute_id`
 * fails then). `audit`: who asked for it; absent where it comes with the tenant.
 */
export function createListenerWrites(listener: Listener, audit?: AuditMark): Write[] {
  const { tenant_id: tenantId, id, compute_id: computeId } = listener;
  const reservation = { v: 1, entity: 'compute_id', tenant_id: tenantId, listener_id: id };
  return [
    putNew('listener', { ...listenerKey(tenantId, id), ...listener, audit }),
    putNew('listener_row', { ...listenerRowKey(tenantId, id), ...listener }),
    putNew('compute_id', { ...computeIdKey(tenantId, computeId), ...reservation }),
  ];
}

/**
 * Marks a listener, or these namespaces of it, as closing. Demands that its namespaces and the mark before
 * are as read.
 */
export const markClosing = (listener: Listener, closing: NonNullable<Listener['closing']>): Write[] =>
  onBoth(listener, ({ name, key, isRow }) =>
    update(
      name,
      key,
      { set: { closing } },
      stillThere,
      ...(isRow
        ? []
        : [equals('k8s_namespaces', listener.k8s_namespaces), same('closing.id', listener.closing?.id)]),
    ),
  );

/** Takes the mark away again. Demands that it is still this one. */
export const unmarkClosing = (listener: Listener, closingId: string): Write[] =>
  onBoth(listener, ({ name, key }) =>
    update(name, key, { remove: ['closing'] }, equals('closing.id', closingId)),
  );

/**
 * Changes a listener, and takes away a closing mark that was left behind: what is there now was asked for
 * later. Demands that it is as it was read, and that the mark there is `closingId` (undefined: none).
 */
export function changeListener(
  before: Listener,
  after: Listener,
  closingId: string | undefined,
  audit: AuditMark,
): Write[] {
  const { version, k8s_namespaces, compute_config, is_default, updated_at } = after;
  const set = { version, k8s_namespaces, compute_config, is_default, updated_at };
  const gone = ['closing', ...(version === undefined ? ['version'] : [])];
  const asRead = [
    same('version', before.version),
    equals('k8s_namespaces', before.k8s_namespaces),
    equals('compute_config', before.compute_config),
    equals('is_default', before.is_default),
    same('closing.id', closingId),
  ];
  return onBoth(before, ({ name, key, isRow }) =>
    isRow
      ? update(name, key, { set, remove: gone }, stillThere)
      : update(name, key, { set: { ...set, audit }, remove: gone }, stillThere, ...asRead),
  );
}

/** Keeps the version and platform that a listener reports. Demands that it was not deleted meanwhile. */
export const keepVersion = (
  listener: Listener,
  { version, platform }: { version?: string; platform?: string },
): Write[] =>
  onBoth(listener, ({ name, key }) => update(name, key, { set: { version, platform } }, stillThere));

/**
 * Removes a listener with all that lies beside it. Demands that its closing mark is this one, and that it is
 * the default as read.
 */
export function removeListener(listener: Listener, closingId: string): Write[] {
  const { tenant_id: tenantId, id, compute_id: computeId, is_default } = listener;
  const asRead = [equals('closing.id', closingId), equals('is_default', is_default)];
  return [
    remove('listener', listenerKey(tenantId, id), ...asRead),
    remove('listener_row', listenerRowKey(tenantId, id)),
    remove('compute_id', computeIdKey(tenantId, computeId), equals('listener_id', id)),
    remove('last_seen', lastSeenKey(tenantId, id)),
    remove('listener_presence', listenerPresenceKey(tenantId, id)),
    remove('listener_unmeasured', unmeasuredKey({ tenantId, listenerId: id })),
    ...removeVersions(tenantId, id),
    countOneLess({ tenantId }, 'listeners'),
    ...dropMark(listener),
  ];
}

/** Changes nothing; demands that the listener of a deployment is there. */
export const checkListener = (owner: { tenant_id: string; listener_id: string }): Write =>
  check('listener', listenerKey(owner.tenant_id, owner.listener_id), stillThere);

/** Changes nothing; demands that a listener is there and takes new deployments, in this namespace of it. */
export function checkListenerOpen(
  { tenant_id: tenantId, id }: Listener,
  namespace: string | undefined,
): Write {
  const named = present('closing.namespaces');
  const open = namespace === undefined ? named : all(named, lacks('closing.namespaces', namespace));
  return check(
    'listener',
    listenerKey(tenantId, id),
    stillThere,
    guard('listener: not closing', any(absent('closing'), open)),
    ...(namespace === undefined
      ? []
      : [guard('listener: has the namespace', contains('k8s_namespaces', namespace))]),
  );
}
