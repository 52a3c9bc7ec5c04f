import { packedId } from '../../store/deployment-rows.ts';
import { update } from '../../store/expressions.ts';
import type { Deployment, DeploymentRow } from '../../store/items.ts';
import { deploymentRowKey } from '../../store/keys.ts';
import type { Write } from '../../store/operations.ts';

/** A deployment's row in the list. */
export function rowOf(deployment: Deployment): Omit<DeploymentRow, 'sk'> {
  const { agent, active } = deployment;
  return {
    v: 3,
    entity: 'deployment_row',
    name: deployment.name,
    status: deployment.status,
    listener: packedId(deployment.listener_id),
    ...(agent !== undefined && { agent_id: agent.agent_id, agent_environment: agent.environment }),
    ...(active?.image_version !== undefined && { image_version: active.image_version }),
    ...(active !== undefined && healthOf(active)),
  };
}

/**
 * Brings a deployment's row to what serves from now on; in the transaction that writes that, so that the two never differ. That has to fail when the
 * deployment is being deleted: its row has left the list.
 */
export function activeRow(deployment: Deployment, active: NonNullable<Deployment['active']>): Write {
  const { health } = healthOf(active);
  return update('deployment_row', deploymentRowKey(deployment.tenant_id, deployment.id), {
    set: {
      v: 3,
      status: 'READY',
      listener: packedId(deployment.listener_id),
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
