import { computeKinds } from '../../compute/kinds.ts';
import { refuse } from '../../contract/errors.ts';
import { DEFAULT_POD_SECURITY } from '../../contract/pod-security.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { takeMark } from '../../core/items/default-listener.ts';
import type { Listener } from '../../core/items/items.ts';
import { createListenerWrites } from '../../core/items/listener-writes.ts';
import { type LimitDeps, withinLimit } from '../../core/limits.ts';
import { ConditionsFailed, retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { createListener as row } from './routes.ts';
import type { CreateListenerBody, ListenerView } from './shape.ts';
import { listenerViewOf } from './view.ts';

/** Registers a compute target; marking it as the default takes the mark from the one that had it. */
export async function createListener(
  deps: Pick<Deps, 'idempotency'> & LimitDeps,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Pick<Caller, 'tenantId' | 'userId' | 'keyId'>,
): Promise<ListenerView> {
  const listener = newListener(deps, body, caller.tenantId);
  const audit = auditMarkOf(deps, { action: 'listener.create' }, caller);
  const shown = listenerViewOf(listener, {
    seen: undefined,
    now: deps.clock.now(),
    capacity: null,
  });
  const record = deps.idempotency.record(shown);
  await retryRaces(deps.table, () =>
    withinLimit(deps, { tenantId: caller.tenantId }, 'listeners', async (counted) => {
      // Read for each attempt: whoever has the mark may have lost it to another one meanwhile.
      const marking = listener.is_default ? await takeMark(deps.table, listener) : [];
      try {
        await transact(deps.table, [
          ...createListenerWrites(listener, audit),
          counted,
          ...marking,
          ...record,
        ]);
      } catch (error) {
        if (error instanceof ConditionsFailed && error.failed.has('compute_id')) {
          throw refuse('listener_taken', { tenantId: caller.tenantId, computeId: listener.compute_id });
        }
        throw error;
      }
    }),
  );
  return shown;
}

/** Without a word about it, deployments in a cluster keep what keeps them from becoming root on a node. */
function configOf({
  compute_type: type,
  compute_config: config,
}: CreateListenerBody): CreateListenerBody['compute_config'] {
  const { pod_security: asked, ...rest } = config;
  return computeKinds[type].isCluster ? { ...rest, pod_security: asked ?? DEFAULT_POD_SECURITY } : config;
}

function newListener(deps: Pick<Deps, 'clock'>, body: CreateListenerBody, tenantId: string): Listener {
  const at = new Date(deps.clock.now()).toISOString();
  return {
    v: 2,
    entity: 'listener',
    tenant_id: tenantId,
    id: deps.clock.orderedId(),
    compute_type: body.compute_type,
    compute_id: body.compute_id,
    k8s_namespaces: body.compute_config.k8s_namespaces,
    compute_config: configOf(body),
    ...(body.version !== undefined && { version: body.version }),
    is_default: body.is_default ?? false,
    created_at: at,
    updated_at: at,
  };
}
