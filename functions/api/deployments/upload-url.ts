import { createUploadUrl } from '../../../lib/app/uploads/create-upload-url.ts';
import { blobs, clock, table } from '../../../lib/container.ts';
import { createUploadUrl as row } from '../../../lib/contract/routes/sources.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createUploadUrl);
export const handler = create(() => ({ table: table(), clock, blobs: blobs() }));
