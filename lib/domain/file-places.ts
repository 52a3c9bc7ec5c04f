import { numberOf } from './revision-id.ts';

type Owner = { tenantId: string; deploymentId: string };

/** Below it lies what clients uploaded for a deployment. */
export const uploadsOf = ({ tenantId, deploymentId }: Owner): string => `uploads/${tenantId}/${deploymentId}`;

/** Below it lies what builds of a deployment left. */
export const artifactsOf = ({ tenantId, deploymentId }: Owner): string =>
  `artifacts/${tenantId}/${deploymentId}`;

/** The only place where a build of this revision may leave a folder. */
export const artifactKeyOf = (ref: Owner & { revisionId: string }): string =>
  `${artifactsOf(ref)}/${ref.revisionId}.tar`;

/** The number of the revision whose build left this artifact. */
export const artifactNumberOf = (key: string): number =>
  numberOf(key.slice(key.lastIndexOf('/') + 1).replace(/\.tar$/, ''));
