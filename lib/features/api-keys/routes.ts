import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id } from '../../contract/validation/query.ts';
import { apiKeyListView, createApiKeyBody, createdApiKeyView, listApiKeysQuery } from './shape.ts';

export const createApiKey = route({
  operation: 'createApiKey',
  method: 'POST',
  path: '/v2/api-keys',
  handler: 'functions/api/api-keys/create.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'table:check'],
  audit: ['api_key.create'],
  area: 'identity',
  permission: 'keys:write',
  summary: 'Make an API key; it is shown this once',
  success: 201,
  body: createApiKeyBody,
  response: createdApiKeyView,
  credential: true,
  variables: ['KEY_DAYS', 'KEYS_MAX'],
  errors: ['listener_not_found', 'state_forbids', 'limit_reached'],
});

export const listApiKeys = route({
  operation: 'listApiKeys',
  method: 'GET',
  path: '/v2/api-keys',
  handler: 'functions/api/api-keys/list.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'keys:read',
  summary: 'List API keys, newest first, without the keys themselves',
  success: 200,
  query: listApiKeysQuery,
  response: apiKeyListView,
});

export const revokeApiKey = route({
  operation: 'revokeApiKey',
  method: 'DELETE',
  path: '/v2/api-keys/{key_id}',
  handler: 'functions/api/api-keys/revoke.ts',
  access: ['table:get', 'table:update', 'table:delete'],
  audit: ['api_key.revoke'],
  area: 'identity',
  permission: 'keys:write',
  summary: 'Revoke an API key, at once',
  success: 204,
  params: z.object({ key_id: id }),
  response: null,
  errors: ['api_key_not_found'],
});
