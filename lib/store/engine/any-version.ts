import { alsoEarlier } from '../dynamodb/upgrade.ts';
import { deployment, revision } from './items.ts';

/** The second version of a deployment may have `config.drain_seconds`. */
export const anyDeployment = alsoEarlier(deployment, [(item) => item]);

/** The second version of a revision may have `artifact.server`. */
export const anyRevision = alsoEarlier(revision, [(item) => item]);
