import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id } from '../../contract/validation/query.ts';
import { createPushTokenBody, pushTokenView, registryCredentialsView } from './shape.ts';

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
  params: z.object({ deployment_id: id }),
  body: createPushTokenBody,
  response: pushTokenView,
  errors: ['push_source', 'push_client', 'source_configuration', 'deployment_not_found', 'state_forbids'],
  credential: true,
});

export const createRegistryCredentials = route({
  area: 'listeners',
  permission: 'listener:work',
  success: 200,
  operation: 'createRegistryCredentials',
  method: 'POST',
  path: '/v2/listeners/{listener_id}/registry-credentials',
  handler: 'functions/api/listener-protocol/registry-credentials.ts',
  access: ['table:get', 'registry:pull'],
  audit: ['registry_credentials.create'],
  summary: 'Get credentials that pull the images of this tenant',
  params: z.object({ listener_id: id }),
  response: registryCredentialsView,
  errors: ['listener_not_found', 'no_registry'],
  credential: true,
});
