import * as z from 'zod';
import { withoutNulls } from '../../contract/validation/json.ts';

/** Requests to upload a source tarball. */

export const createUploadUrlBody = z
  .object({
    /** The client sends the `upload_headers` of the answer with its PUT. */
    supports_upload_headers: z.boolean().nullish(),
  })
  .transform(withoutNulls);

export const uploadUrlView = z.object({
  /** Takes one PUT of the tarball; headers beyond `upload_headers` do no harm. */
  upload_url: z.string(),
  /** What to send as `source_tarball_path` afterwards. */
  object_path: z.string(),
  upload_headers: z.record(z.string(), z.string()),
});
export type UploadUrlView = z.input<typeof uploadUrlView>;
