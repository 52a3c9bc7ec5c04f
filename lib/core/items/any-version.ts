import { alsoEarlier } from '../../store/dynamodb/upgrade.ts';
import {
  CONFIGURATION_VERSION,
  configuration,
  DEPLOYMENT_VERSION,
  deployment,
  deploymentRow,
  listener,
  REVISION_VERSION,
  revision,
} from './items.ts';

export const anyDeployment = alsoEarlier(deployment, DEPLOYMENT_VERSION);

export const anyConfiguration = alsoEarlier(configuration, CONFIGURATION_VERSION);

export const anyRevision = alsoEarlier(revision, REVISION_VERSION);

/** The second version of a listener may be of `compute_type` `ecs`. */
export const anyListener = alsoEarlier(listener, 2);

/** The second version of a deployment's row has the deployment's type, the third may say how many wait. */
export const anyDeploymentRow = alsoEarlier(deploymentRow, 3, { 1: (item) => ({ ...item, typed: true }) });
