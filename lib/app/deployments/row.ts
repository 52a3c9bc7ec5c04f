import { packedId } from '../../store/deployment-rows.ts';
import type { Deployment, DeploymentRow } from '../../store/items.ts';

/** A deployment's row in the list. */
export function rowOf(deployment: Deployment): Omit<DeploymentRow, 'sk'> {
  const { agent, active } = deployment;
  return {
    v: 2,
    entity: 'deployment_row',
    name: deployment.name,
    source: deployment.source,
    status: deployment.status,
    listener: packedId(deployment.listener_id),
    ...(agent !== undefined && { agent_id: agent.agent_id, agent_environment: agent.environment }),
    ...(active?.image_version !== undefined && { image_version: active.image_version }),
  };
}
