import type { Item } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey, due, revisionKey } from '../../../lib/store/keys/index.ts';

import { putAll } from '../table/put-all.ts';
import { aDeployment, aRevision } from '../table/stored-items.ts';
import type { World } from './world.ts';

type Asking = Pick<World, 'deps' | 'caller'>;

/** Stores so many deployments with a build at work in each, which are due for a look. */
export const putInFlight = (world: Asking, count: number): Promise<void> =>
  putAll(world.deps.table, Array.from({ length: count }, (_, index) => inFlight(world, index)).flat());

function inFlight({ deps, caller }: Asking, index: number): Item[] {
  const tenant_id = caller.tenantId;
  const deployment_id = `0190a000-0000-7000-8000-${String(index).padStart(12, '0')}`;
  // Ends with the revision's number.
  const id = `0190a000-0000-7000-9000-${String(index).padStart(4, '0')}00000001`;
  const now = deps.clock.now();
  const since = new Date(now).toISOString();
  const slot = { kind: 'revision', revision_id: id, number: 1, since } as const;
  const at = revisionKey(tenant_id, deployment_id, 1);
  const revision = aRevision({
    tenant_id,
    deployment_id,
    id,
    status: 'BUILDING',
    history: [{ status: 'BUILDING', at: since }],
    build_id: `build-${index}`,
    build_phase: 'running',
    build_due_at: now + 600_000,
    attempt: 1,
  });
  const deployment = aDeployment({ tenant_id, id: deployment_id, slot, queued: [] });
  return [
    { ...deploymentKey(tenant_id, deployment_id), ...deployment },
    { ...at, ...revision, ...due(at.pk, now - 1000) },
  ];
}
