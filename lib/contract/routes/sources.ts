import * as z from 'zod';
import { createPushTokenBody, pushTokenView } from '../images/registry.ts';
import { createUploadUrlBody, uploadUrlView } from '../uploads.ts';
import { id } from '../validation/query.ts';
import { route } from './route.ts';

/** Where clients put what a deployment is made of: a tarball of its source, or an image. */
const params = z.object({ deployment_id: id });

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
  params,
  body: createUploadUrlBody,
  response: uploadUrlView,
  errors: ['deployment_not_found', 'state_forbids', 'upload_source'],
  credential: true,
});

export const createPushToken = route({
  operation: 'createPushToken',
  method: 'POST',
  path: '/v2/deployments/{deployment_id}/push-token',
  handler: 'functions/api/deployments/push-token.ts',
  access: ['table:get', 'repositories:create', 'repositories:push'],
  audit: ['push_token.create'],
  area: 'deployments',
  permission: 'deployments:write',
  summary: 'Get credentials that push an image to the repository of a deployment',
  success: 200,
  params,
  body: createPushTokenBody,
  response: pushTokenView,
  errors: ['push_source', 'push_client', 'source_configuration', 'deployment_not_found', 'state_forbids'],
  credential: true,
});
