import * as z from 'zod';
import { withoutNulls } from './validation/json.ts';

/** Requests to upload a source tarball. */

/** One gzip tarball may have so many bytes. */
export const UPLOAD_SIZE_BYTES_MAX = 200 * 1024 * 1024;
/** An upload URL is good for so long. */
export const UPLOAD_URL_SECONDS = 15 * 60;

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
