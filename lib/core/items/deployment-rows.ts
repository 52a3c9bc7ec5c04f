import { guard, present, update } from '../../store/dynamodb/expressions.ts';
import { queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { deletedRowKey, deploymentRowKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { anyDeploymentRow } from './any-version.ts';
import type { Deployment, DeploymentRow } from './items.ts';

/** An id as rows hold it: 16 bytes in 22 characters, for every list pays for the bytes of every row. */
export const packedId = (id: string): string =>
  Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');

export const unpackedId = (packed: string): string =>
  Buffer.from(packed, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * The rows of the deployments that use this listener, also of those that are being deleted. A deployment that
 * was there when the reading began is among them, whatever happens meanwhile, unless it is gone; it may be
 * given twice.
 */
export async function* rowsOnListener(
  table: Table,
  tenantId: string,
  listenerId: string,
): AsyncGenerator<DeploymentRow> {
  const packed = packedId(listenerId);
  for await (const row of rowsOf(table, tenantId)) {
    if (row.listener === packed) yield row;
  }
}

/** Rows move from the first list to the second and never back: read in this order none is missed. */
async function* rowsOf(table: Table, tenantId: string): AsyncGenerator<DeploymentRow> {
  for (const keyOf of [deploymentRowKey, deletedRowKey]) {
    yield* queryAll(table, anyDeploymentRow, { pk: keyOf(tenantId, '').pk });
  }
}

/** `dev`, `prod` and the like; every list pays for the bytes of every row. */
const TYPE_LENGTH_MAX = 16;

const typeOf = (type: string | undefined): Pick<DeploymentRow, 'type' | 'typed'> => {
  if (type === undefined) return {};
  return type.length > TYPE_LENGTH_MAX ? { typed: true } : { type };
};

/** A deployment's row in the list. */
export function rowOf(deployment: Deployment): Omit<DeploymentRow, 'sk'> {
  const { agent, active, config } = deployment;
  return {
    v: 3,
    entity: 'deployment_row',
    name: deployment.name,
    status: deployment.status,
    listener: packedId(deployment.listener_id),
    ...(agent !== undefined && { agent_id: agent.agent_id, agent_environment: agent.environment }),
    ...(active?.image_version !== undefined && { image_version: active.image_version }),
    ...(active !== undefined && healthOf(active)),
    ...typeOf(config.deployment_type),
  };
}

/**
 * Brings a deployment's row to what serves from now on; in the transaction that writes that, so that the two
 * never differ. That has to fail when the deployment is being deleted: its row has left the list.
 */
export function activeRow(deployment: Deployment, active: NonNullable<Deployment['active']>): Write {
  const { health } = healthOf(active);
  return update('deployment_row', deploymentRowKey(deployment.tenant_id, deployment.id), {
    set: {
      status: 'READY',
      image_version: active.image_version,
      health,
    },
    remove: [
      ...(active.image_version === undefined ? ['image_version'] : []),
      ...(health === undefined ? ['health'] : []),
    ],
  });
}

const healthOf = ({
  healthy,
  reconciled,
}: NonNullable<Deployment['active']>): Pick<DeploymentRow, 'health'> =>
  healthy ? {} : { health: reconciled ? 'poor' : 'gone' };

/**
 * How many revisions of a deployment wait behind another one: what is alone in the queue of a free slot is
 * taken at once.
 */
export const waitingIn = ({ slot, queued }: Pick<Deployment, 'slot' | 'queued'>): number =>
  slot === undefined ? Math.max(0, queued.length - 1) : queued.length;

/**
 * Says in a deployment's row how many of its revisions wait; in the transaction that changes that. Demands
 * that it is not being deleted.
 */
export const waitingRow = ({ tenant_id, id }: Deployment, waiting: number): Write =>
  update(
    'deployment_row',
    deploymentRowKey(tenant_id, id),
    { set: { waiting } },
    guard('row: still listed', present('pk')),
  );

/** How many revisions of a tenant wait, strongly consistent; those of deployments being deleted end by themselves. */
export async function countWaiting(table: Table, tenantId: string): Promise<number> {
  let count = 0;
  const pk = deploymentRowKey(tenantId, '').pk;
  for await (const { waiting = 0 } of queryAll(table, anyDeploymentRow, { pk })) count += waiting;
  return count;
}
