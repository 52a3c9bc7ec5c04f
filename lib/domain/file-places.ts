import { numberOf } from './revision-id.ts';

type Owner = { tenantId: string; deploymentId: string };

/** Below it lies what clients uploaded for a deployment. */
export const uploadsOf = ({ tenantId, deploymentId }: Owner): string => `uploads/${tenantId}/${deploymentId}`;

/** Below it lies what builds of a deployment left. */
export const artifactsOf = ({ tenantId, deploymentId }: Owner): string =>
  `artifacts/${tenantId}/${deploymentId}`;

/** The only place where this build may leave a folder. */
export const artifactKeyOf = (build: Owner & { buildName: string }): string =>
  `${artifactsOf(build)}/${build.buildName}.tar`;

/** A build's name begins with the id of its revision. */
const REVISION_ID_LENGTH = 36;

/** The number of the revision whose build left this artifact. */
export const artifactNumberOf = (key: string): number =>
  numberOf(key.slice(key.lastIndexOf('/') + 1).slice(0, REVISION_ID_LENGTH));
