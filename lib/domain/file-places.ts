import type { DeploymentRef } from '../contract/refs.ts';
import { numberOf } from './revision-id.ts';

/** Below it lies what clients upload. What no request has named a day later is removed. */
export const PENDING = 'pending';
/** Below it lies what a client has uploaded for a deployment. */
export const pendingOf = ({ tenantId, deploymentId }: DeploymentRef): string =>
  `${PENDING}/${tenantId}/${deploymentId}`;

/** Below it lie the uploads of a deployment that a request has named: they stay as long as the deployment. */
export const pinnedOf = ({ tenantId, deploymentId }: DeploymentRef): string =>
  `pinned/${tenantId}/${deploymentId}`;

/** Where an upload stays, by the sha256 of its bytes in hex: nothing else can ever lie there. */
export const pinnedKeyOf = (owner: DeploymentRef, sha256: string): string =>
  `${pinnedOf(owner)}/${sha256}.tar.gz`;

/** Below it lies what builds of a deployment left. */
export const artifactsOf = ({ tenantId, deploymentId }: DeploymentRef): string =>
  `artifacts/${tenantId}/${deploymentId}`;

/** The only place where this build may leave a folder. */
export const artifactKeyOf = (build: DeploymentRef & { buildName: string }): string =>
  `${artifactsOf(build)}/${build.buildName}.tar`;

/** A build's name begins with the id of its revision. */
const REVISION_ID_LENGTH = 36;

/** The number of the revision whose build left this artifact. */
export const artifactNumberOf = (key: string): number =>
  numberOf(key.slice(key.lastIndexOf('/') + 1).slice(0, REVISION_ID_LENGTH));

/**
 * Where an upload of a deployment lies: only upload-url signs such paths, so an object under one is of the
 * deployment that it names.
 */
export const uploadPath = (owner: DeploymentRef, uploadId: string): string =>
  `${pendingOf(owner)}/${uploadId}.tar.gz`;

/** The upload that a path of this deployment names; undefined for any other path. */
export function uploadIdOf(owner: DeploymentRef, path: string): string | undefined {
  const [, uploadId] = /\/([0-9a-f-]{36})\.tar\.gz$/.exec(path) ?? [];
  return uploadId !== undefined && path === uploadPath(owner, uploadId) ? uploadId : undefined;
}
