import { alsoEarlier } from '../dynamodb/upgrade.ts';
import { deployment, deploymentRow, listener, revision } from './items.ts';

/**
 * The second version of a deployment may have `config.drain_seconds`, the third `config.push_paths` and
 * `pushed`, the fourth `reported_urls`, the fifth `active.configuration` and `active.secrets`.
 */
export const anyDeployment = alsoEarlier(deployment, [
  (item) => item,
  (item) => item,
  (item) => item,
  (item) => item,
]);

/**
 * The second version of a revision may have `artifact.server`, the third `commit` and `cause`, the fourth a
 * `reason` in the cause of a push, the fifth `build_phase` and an unstarted `lost_build`.
 */
export const anyRevision = alsoEarlier(revision, [
  (item) => item,
  (item) => item,
  (item) => item,
  (item) => item,
]);

/** The second version of a listener may be of `compute_type` `ecs`. */
export const anyListener = alsoEarlier(listener, [(item) => item]);

/** The second version of a deployment's row has the deployment's type, the third may say how many wait. */
export const anyDeploymentRow = alsoEarlier(deploymentRow, [
  (item) => ({ ...item, typed: true }),
  (item) => item,
]);
