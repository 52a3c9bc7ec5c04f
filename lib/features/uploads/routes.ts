import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id } from '../../contract/validation/query.ts';
import { createUploadUrlBody, uploadUrlView } from './shape.ts';

export const createUploadUrl = route({
  operation: 'createUploadUrl',
  method: 'POST',
  path: '/v2/deployments/{deployment_id}/upload-url',
  handler: 'functions/api/deployments/upload-url.ts',
  access: ['table:get', 'uploads:write'],
  audit: ['upload_url.create'],
  area: 'deployments',
  permission: 'deployments:write',
  summary: 'Get a URL to upload a source tarball to',
  success: 200,
  params: z.object({ deployment_id: id }),
  body: createUploadUrlBody,
  response: uploadUrlView,
  errors: ['deployment_not_found', 'state_forbids', 'upload_source'],
  credential: true,
});
