import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditHandOut } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import { checkOpen } from '../../core/deployments/checks.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import { uploadPath } from '../../domain/file-places.ts';
import { takesUploads } from '../../domain/source.ts';
import type { createUploadUrl as row } from './routes.ts';
import type { UploadUrlView } from './shape.ts';

/** How long an upload URL is valid. */
const UPLOAD_URL_SECONDS = 15 * 60;

/** Issues a URL for one tarball. Nothing is stored: an upload counts as a source once a PATCH names it. */
export async function createUploadUrl(
  deps: Pick<Deps, 'table' | 'blobs' | 'clock' | 'auditLog'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<UploadUrlView> {
  const deployment = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  checkOpen(deployment);
  if (!takesUploads(deployment.source)) throw refuse('upload_source', {});
  const ref = { tenantId: caller.tenantId, deploymentId: deployment.id };
  const path = uploadPath(ref, deps.clock.orderedId());
  const url = await deps.blobs.uploadUrl(path, UPLOAD_URL_SECONDS);
  auditHandOut(deps, { action: 'upload_url.create', deployment_id: deployment.id }, caller);
  return {
    upload_url: url,
    object_path: path,
    upload_headers: { 'Content-Type': 'application/gzip' },
  };
}
