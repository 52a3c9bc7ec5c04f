import { alsoEarlier } from '../dynamodb/upgrade.ts';
import { revision } from './items.ts';

/** The second version of a revision may have `artifact.server`. */
export const anyRevision = alsoEarlier(revision, [(item) => item]);
