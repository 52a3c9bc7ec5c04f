import { isDeepStrictEqual } from 'node:util';
import type { ChangeDeploymentBody } from '../../../contract/deployments/requests.ts';
import { refuse } from '../../../contract/errors.ts';
import type { Deployment } from '../../../core/items/items.ts';

/** More would only wait; the item that holds the queue stays small. */
export const QUEUE_LENGTH_MAX = 100;

/** Nothing is written to a deployment that is being deleted. */
export function checkOpen(deployment: Deployment): void {
  if (deployment.status === 'AWAITING_DELETE') {
    throw refuse('state_forbids', {
      reason: `Deployment ${deployment.id} is being deleted (AWAITING_DELETE).`,
    });
  }
}

export function checkQueue(deployment: Deployment): void {
  if (deployment.queued.length >= QUEUE_LENGTH_MAX) throw refuse('queue_full', { limit: QUEUE_LENGTH_MAX });
}

/** Of an `ETag`: the count, and a hash of what was shown, which changes without the configuration. */
const TAG = /^"(\d+)(?:\.[\w-]*)?"$/;

/** `If-Match` holds for any of the versions it lists, or for every version with `*`. */
export function checkMatch(deployment: Deployment, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return;
  const current = String(deployment.config_version);
  const asked = ifMatch.split(',').map((tag) => tag.trim());
  if (!asked.some((tag) => tag === '*' || TAG.exec(tag)?.[1] === current)) {
    throw refuse('version_mismatch', { asked: ifMatch, current: `"${current}"` });
  }
}

/** Sending back what is there is no change. */
export function checkImmutable(deployment: Deployment, body: ChangeDeploymentBody): void {
  const config = body.source_config ?? {};
  const pairs: [field: string, asked: unknown, current: unknown][] = [
    ['name', body.name, deployment.name],
    ['source', body.source, deployment.source],
    ['source_config.listener_id', config.listener_id, deployment.listener_id],
    ['source_config.listener_config', config.listener_config?.k8s_namespace, deployment.k8s_namespace],
    ['source_config.deployment_type', config.deployment_type, deployment.config.deployment_type],
    ['agent', body.agent, deployment.agent],
  ];
  const changed = pairs.find(
    ([, asked, current]) => asked !== undefined && !isDeepStrictEqual(asked, current),
  );
  if (changed !== undefined) throw refuse('immutable_field', { field: changed[0] });
}
