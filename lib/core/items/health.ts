import * as z from 'zod';
import { update } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { deploymentHealthKey } from '../../store/keys/presence.ts';
import type { Table } from '../../store/table.ts';
import type { Deployment } from './items.ts';

type Active = NonNullable<Deployment['active']>;

/**
 * The newest change of a deployment's health. It is apart from the deployment, so that the consumer of the
 * stream that makes events hears of these changes alone.
 */
export const deploymentHealth = z.object({
  v: z.literal(1),
  entity: z.literal('deployment_health'),
  tenant_id: z.string(),
  deployment_id: z.string(),
  revision_id: z.string(),
  healthy: z.boolean(),
  reason: z.string().optional(),
  /** ISO 8601 UTC. */
  at: z.string(),
});

/** The newest change of a deployment's health; undefined: it was always healthy. */
export const findHealth = (
  table: Table,
  tenantId: string,
  deploymentId: string,
): Promise<z.infer<typeof deploymentHealth> | undefined> =>
  find(table, deploymentHealthKey(tenantId, deploymentId), deploymentHealth);

/** Notes that what serves became unhealthy, or healthy again; nothing where it is as it was. */
export function noteHealth(
  { tenant_id, id }: Pick<Deployment, 'tenant_id' | 'id'>,
  before: Active | undefined,
  after: Active | undefined,
  now: number,
): Write[] {
  if (before === undefined || after === undefined || before.healthy === after.healthy) return [];
  const { revision_id, healthy, reason } = after;
  const of = { tenant_id, deployment_id: id, revision_id };
  const said = { healthy, at: new Date(now).toISOString(), ...(!healthy && { reason }) };
  return [
    update('deployment_health', deploymentHealthKey(tenant_id, id), {
      set: { v: 1, entity: 'deployment_health', ...of, ...said },
      ...((healthy || reason === undefined) && { remove: ['reason'] }),
    }),
  ];
}
