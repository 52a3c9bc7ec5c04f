import * as z from 'zod';
import type { DeploymentRef } from '../../contract/refs.ts';
import { absent, put } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { uploadKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/** The size limit of one gzip tarball. */
export const UPLOAD_SIZE_BYTES_MAX = 200 * 1024 * 1024;

/**
 * An uploaded tarball as it was when it was first named. `version_id`: of what was uploaded, to know whether
 * it was written over since.
 */
export const upload = z.object({
  v: z.literal(1),
  entity: z.literal('upload'),
  tenant_id: z.string(),
  deployment_id: z.string(),
  id: z.string(),
  size_bytes: z.number(),
  version_id: z.string().optional(),
  sha256: z.string(),
  recorded_at: z.string(),
});
export type Upload = z.infer<typeof upload>;

/** What was recorded of an upload; undefined until a request has named it. */
export const findUpload = (table: Table, ref: DeploymentRef, uploadId: string): Promise<Upload | undefined> =>
  find(table, uploadKey(ref.tenantId, ref.deploymentId, uploadId), upload);

/** Records an upload. Demands that nobody has recorded it meanwhile. */
export const putUpload = (item: Upload): Write =>
  put('upload', { ...uploadKey(item.tenant_id, item.deployment_id, item.id), ...item }, absent('pk'));
