import * as z from 'zod';
import {
  apiKeyListView,
  createApiKeyBody,
  createdApiKeyView,
  createTenantBody,
  listApiKeysQuery,
  memberListView,
  memberView,
  putMemberBody,
  tenantListView,
  tenantView,
} from '../identity.ts';
import { id, page } from '../validation/query.ts';
import { route } from './route.ts';

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

export const createTenant = route({
  operation: 'createTenant',
  method: 'POST',
  path: '/v2/tenants',
  handler: 'functions/api/tenants/create.ts',
  access: ['table:get', 'table:put'],
  audit: ['tenant.create'],
  area: 'identity',
  permission: 'tenants:write',
  summary: 'Make another tenant of the organization',
  success: 201,
  body: createTenantBody,
  response: tenantView,
  errors: ['state_forbids'],
  variables: ['MANAGED_COMPUTE'],
});

export const listTenants = route({
  operation: 'listTenants',
  method: 'GET',
  path: '/v2/tenants',
  handler: 'functions/api/tenants/list.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'tenants:read',
  summary: 'List the tenants of the organization, newest first',
  success: 200,
  query: z.object(page),
  response: tenantListView,
});

export const putMember = route({
  operation: 'putMember',
  method: 'POST',
  path: '/v2/members',
  handler: 'functions/api/members/put.ts',
  access: ['table:get', 'table:put'],
  audit: ['membership.change'],
  area: 'identity',
  permission: 'members:write',
  summary: 'Give a user of the identity provider a role in the tenant',
  success: 201,
  body: putMemberBody,
  response: memberView,
});

export const listMembers = route({
  operation: 'listMembers',
  method: 'GET',
  path: '/v2/members',
  handler: 'functions/api/members/list.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'members:read',
  summary: 'List the users of the identity provider that have a role in the tenant',
  success: 200,
  query: z.object(page),
  response: memberListView,
});

export const removeMember = route({
  operation: 'removeMember',
  method: 'DELETE',
  path: '/v2/members/{member_id}',
  handler: 'functions/api/members/remove.ts',
  access: ['table:get', 'table:update', 'table:delete'],
  audit: ['membership.remove'],
  area: 'identity',
  permission: 'members:write',
  summary: 'Take a user’s role in the tenant, at once',
  success: 204,
  params: z.object({ member_id: id }),
  response: null,
  errors: ['member_not_found'],
});
