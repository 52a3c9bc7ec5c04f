import type { DeploymentRef } from '../../contract/refs.ts';
import { pendingOf } from '../../domain/file-places.ts';

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
