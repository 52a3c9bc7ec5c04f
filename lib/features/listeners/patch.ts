import { isDeepStrictEqual } from 'node:util';
import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { dropMark, takeMark } from '../../core/items/default-listener.ts';
import type { Listener } from '../../core/items/items.ts';
import { changeListener } from '../../core/items/listener-writes.ts';
import { computeConfigOf, countChange, findSeen, getListenerItem } from '../../core/items/listeners.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import { checkNamespacesUnused, closeUnused } from './closing.ts';
import type { patchListener as row } from './routes.ts';
import type { ChangeListenerBody, ListenerView } from './shape.ts';
import { capacityOf, listenerViewOf } from './view.ts';

type PatchDeps = Pick<Deps, 'table' | 'clock' | 'idempotency'>;

/**
 * Changes a listener: what is absent stays, an empty version clears it, a given compute_config replaces the
 * one there (without `k8s_namespaces` these stay). Namespaces that deployments are in cannot be taken from
 * it.
 */
export async function patchListener(
  deps: PatchDeps,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Pick<Caller, 'tenantId' | 'userId' | 'keyId'>,
): Promise<ListenerView> {
  const audit = auditMarkOf(deps, { action: 'listener.change' }, caller);
  const seen = await findSeen(deps.table, caller.tenantId, params.listener_id);
  return retryRaces(deps.table, async () => {
    const before = await getListenerItem(deps.table, caller.tenantId, params.listener_id);
    checkImmutable(before, body);
    const after = changed(deps, before, body);
    const closingId = await closeLeaving(deps, before, after);
    const capacity = await capacityOf(deps.table, after);
    const shown = listenerViewOf(after, { seen, now: deps.clock.now(), capacity });
    await transact(deps.table, [
      ...changeListener(before, after, closingId, audit),
      ...(body.is_default === true ? await takeMark(deps.table, after) : []),
      ...(body.is_default === false ? dropMark(before) : []),
      ...(seen !== undefined && !hasSameConfig(before, after) ? [tellOf(after)] : []),
      ...deps.idempotency.record(shown),
    ]);
    return shown;
  });
}

/** Sending back what is there is no change. */
function checkImmutable(before: Listener, body: ChangeListenerBody): void {
  for (const field of ['compute_type', 'compute_id'] as const) {
    if (body[field] !== undefined && body[field] !== before[field])
      throw refuse('immutable_field', { field });
  }
}

function changed({ clock }: PatchDeps, before: Listener, body: ChangeListenerBody): Listener {
  const { closing: _, version, ...kept } = before;
  const namespaces = body.compute_config?.k8s_namespaces ?? before.k8s_namespaces;
  const nextVersion = body.version ?? version;
  return {
    ...kept,
    ...(nextVersion !== undefined && nextVersion !== '' && { version: nextVersion }),
    k8s_namespaces: namespaces,
    compute_config: { ...configAfter(before, body), k8s_namespaces: namespaces },
    is_default: body.is_default ?? before.is_default,
    updated_at: new Date(clock.now()).toISOString(),
  };
}

const hasSameConfig = (before: Listener, after: Listener): boolean =>
  isDeepStrictEqual(computeConfigOf(before), computeConfigOf(after));

/** Has the listener read its configuration with its next claim, not minutes later. */
const tellOf = ({ tenant_id: tenantId, id: listenerId }: Listener) => countChange({ tenantId, listenerId });

/** A configuration replaces the one there, but no client that knows nothing of `pod_security` loosens it. */
function configAfter(
  { compute_config: current }: Listener,
  { compute_config: asked }: ChangeListenerBody,
): Listener['compute_config'] {
  if (asked === undefined) return current;
  const { pod_security: profile, ...rest } = asked;
  const kept = profile ?? current.pod_security;
  return kept !== undefined && kept !== null ? { ...rest, pod_security: kept } : rest;
}

/** Closes the namespaces that are to leave; gives the id of the mark that is there then. */
async function closeLeaving(deps: PatchDeps, before: Listener, after: Listener): Promise<string | undefined> {
  const leaving = before.k8s_namespaces.filter((namespace) => !after.k8s_namespaces.includes(namespace));
  if (leaving.length === 0) return before.closing?.id;
  const checkUnused = () => checkNamespacesUnused(deps, before, leaving);
  return closeUnused(deps, { listener: before, namespaces: leaving }, checkUnused);
}
