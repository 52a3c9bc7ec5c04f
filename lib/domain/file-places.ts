import { numberOf } from './revision-id.ts';

type Owner = { tenantId: string; deploymentId: string };

/** Below it lies what clients upload. What no request has named a day later is removed. */
export const PENDING = 'pending';
/** Below it lies what a client has uploaded for a deployment. */
export const pendingOf = ({ tenantId, deploymentId }: Owner): string =>
  `${PENDING}/${tenantId}/${deploymentId}`;

/** Below it lie the uploads of a deployment that a request has named: they stay as long as the deployment. */
export const pinnedOf = ({ tenantId, deploymentId }: Owner): string => `pinned/${tenantId}/${deploymentId}`;

/** Where an upload stays, by the sha256 of its bytes in hex: nothing else can ever lie there. */
export const pinnedKeyOf = (owner: Owner, sha256: string): string => `${pinnedOf(owner)}/${sha256}.tar.gz`;

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
