import type { PinnedBlob } from '../../adapters/blobs.ts';
import { refuse } from '../../contract/errors.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { Deps } from '../../core/deps.ts';
import { deploymentRefOf } from '../../core/items/deployments.ts';
import type { Deployment } from '../../core/items/items.ts';
import { findUpload, putUpload, UPLOAD_SIZE_BYTES_MAX, type Upload } from '../../core/items/uploads.ts';
import { pinnedKeyOf, uploadIdOf } from '../../domain/file-places.ts';
import type { Write } from '../../store/dynamodb/transact.ts';

type UploadDeps = Pick<Deps, 'table' | 'blobs' | 'clock'>;

/**
 * Gives the writes that record the tarball that a request names, with its sha256. It is copied to where it
 * stays when it is named for the first time, and every build reads that copy. Throws `source_configuration`
 * for a path that was not handed out for this deployment, an object that is absent or too large, and one that
 * was written over after it had been recorded.
 */
export async function recordUpload(deps: UploadDeps, deployment: Deployment, path: string): Promise<Write[]> {
  const ref = deploymentRefOf(deployment);
  const id = uploadIdOf(ref, path);
  if (id === undefined) throw unusable(path, 'is not one that upload-url handed out for this deployment');
  const recorded = await findUpload(deps.table, ref, id);
  if (recorded !== undefined) {
    if (await wasReplaced(deps, { ref, path, recorded }))
      throw unusable(path, 'was written over after it had been used');
    return [];
  }
  const { versionId, ...found } = await pinned(deps, ref, path);
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
  { ref, path, recorded }: { ref: DeploymentRef; path: string; recorded: Upload },
): Promise<boolean> {
  const current = await deps.blobs.head(path);
  if (current === undefined || current.versionId === recorded.version_id) return false;
  return (await pinned(deps, ref, path)).sha256 !== recorded.sha256;
}

async function pinned({ blobs }: UploadDeps, ref: DeploymentRef, path: string): Promise<PinnedBlob> {
  const found = await blobs.pin(path, (sha256) => pinnedKeyOf(ref, sha256), UPLOAD_SIZE_BYTES_MAX);
  if (found === 'absent')
    throw unusable(path, 'names no object: nothing was uploaded to its URL, or more than a day ago');
  if (found === 'too_large') throw unusable(path, `is larger than ${UPLOAD_SIZE_BYTES_MAX} bytes`);
  return found;
}
