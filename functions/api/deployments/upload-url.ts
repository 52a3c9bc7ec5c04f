import { blobs, clock, table } from '../../../lib/container.ts';
import { createUploadUrl } from '../../../lib/features/uploads/create-upload-url.ts';
import { createUploadUrl as row } from '../../../lib/features/uploads/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createUploadUrl);
export const handler = create(() => ({ table: table(), clock, blobs: blobs() }));
