import type { PinnedBlob } from '../../adapters/blobs.ts';
import { refuse } from '../../contract/errors.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { UPLOAD_SIZE_BYTES_MAX } from '../../contract/uploads.ts';
import type { Deps } from '../../core/deps.ts';
import type { Deployment } from '../../core/items/items.ts';
import { findUpload, putUpload, type Upload } from '../../core/items/uploads.ts';
import { pinnedKeyOf, uploadIdOf } from '../../domain/file-places.ts';
import type { Write } from '../../store/dynamodb/transact.ts';

type UploadDeps = Pick<Deps, 'table' | 'blobs' | 'clock'>;

/**
 * Looks at the tarball that a request names. The first look copies it to where it stays, and records its
 * sha256 in the request's own transaction (the writes returned); every build reads that copy ever after.
 * Throws `source_configuration` for a path that was not handed out for this deployment, an object that is
 * absent or too large, and one that was written over after it had been recorded.
 */
export async function recordUpload(deps: UploadDeps, deployment: Deployment, path: string): Promise<Write[]> {
  const owner = { tenantId: deployment.tenant_id, deploymentId: deployment.id };
  const id = uploadIdOf(owner, path);
  if (id === undefined) throw unusable(path, 'is not one that upload-url handed out for this deployment');
  const recorded = await findUpload(deps.table, owner, id);
  if (recorded !== undefined) {
    if (await wasReplaced(deps, { owner, path, recorded }))
      throw unusable(path, 'was written over after it had been used');
    return [];
  }
  const { versionId, ...found } = await lookAt(deps, owner, path);
  return [
    putUpload({
      v: 1,
      entity: 'upload',
      tenant_id: deployment.tenant_id,
      deployment_id: deployment.id,
      id,
      size_bytes: found.sizeBytes,
      ...(versionId !== undefined && { version_id: versionId }),
      sha256: found.sha256,
      recorded_at: new Date(deps.clock.now()).toISOString(),
    }),
  ];
}

const unusable = (path: string, why: string): Error =>
  refuse('source_configuration', {
    reason: `'source_tarball_path' '${path}' ${why}; ask upload-url for a new one and upload the tarball to it.`,
  });

/**
 * Whether another tarball lies under the key now. What was recorded may be gone from there: it expires. A
 * restored backup has the same bytes as a new version.
 */
async function wasReplaced(
  deps: UploadDeps,
  { owner, path, recorded }: { owner: DeploymentRef; path: string; recorded: Upload },
): Promise<boolean> {
  const current = await deps.blobs.head(path);
  if (current === undefined || current.versionId === recorded.version_id) return false;
  return (await lookAt(deps, owner, path)).sha256 !== recorded.sha256;
}

async function lookAt({ blobs }: UploadDeps, owner: DeploymentRef, path: string): Promise<PinnedBlob> {
  const found = await blobs.pin(path, (sha256) => pinnedKeyOf(owner, sha256), UPLOAD_SIZE_BYTES_MAX);
  if (found === 'absent')
    throw unusable(path, 'names no object: nothing was uploaded to its URL, or more than a day ago');
  if (found === 'too_large') throw unusable(path, `is larger than ${UPLOAD_SIZE_BYTES_MAX} bytes`);
  return found;
}
