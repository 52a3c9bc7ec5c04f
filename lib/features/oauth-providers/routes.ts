import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { freeText } from '../../contract/validation/json.ts';
import {
  changeProviderBody,
  createProviderBody,
  deletedProviderView,
  discoverProviderBody,
  providerListView,
  providerView,
} from './shape.ts';

const ofOne = z.object({ provider_id: freeText });

export const createProvider = route({
  operation: 'createProvider',
  method: 'POST',
  path: '/v2/auth/providers',
  handler: 'functions/api/oauth-providers/create.ts',
  access: ['table:get', 'table:query', 'table:put', 'keys:generate'],
  audit: ['oauth_provider.create'],
  area: 'auth',
  permission: 'providers:write',
  summary:
    'Add an OAuth authorization server to the organization; the client secret is stored and never shown',
  success: 200,
  body: createProviderBody,
  response: providerView,
  errors: ['oauth_provider_taken'],
  variables: ['ALLOWED_HOSTS'],
});

export const discoverProvider = route({
  operation: 'discoverProvider',
  method: 'POST',
  path: '/v2/auth/providers/mcp-discover',
  handler: 'functions/api/oauth-providers/mcp-discover.ts',
  access: ['table:get', 'table:query', 'table:put', 'keys:generate'],
  audit: ['oauth_provider.create'],
  area: 'auth',
  permission: 'providers:write',
  summary: 'Find the authorization server of an MCP server, register a client there and add it as a provider',
  success: 200,
  body: discoverProviderBody,
  response: providerView,
  errors: ['oauth_provider_taken', 'provider_unavailable'],
  variables: ['ALLOWED_HOSTS'],
});

export const listProviders = route({
  operation: 'listProviders',
  method: 'GET',
  path: '/v2/auth/providers',
  handler: 'functions/api/oauth-providers/list.ts',
  access: ['table:get', 'table:query'],
  area: 'auth',
  permission: 'providers:read',
  summary: 'List the OAuth providers of the organization, by `provider_id`, without their secrets',
  success: 200,
  response: providerListView,
});

export const getProvider = route({
  operation: 'getProvider',
  method: 'GET',
  path: '/v2/auth/providers/{provider_id}',
  handler: 'functions/api/oauth-providers/get.ts',
  access: ['table:get', 'table:query'],
  area: 'auth',
  permission: 'providers:read',
  summary: 'Show an OAuth provider',
  success: 200,
  params: ofOne,
  response: providerView,
  errors: ['oauth_provider_not_found'],
});

export const patchProvider = route({
  operation: 'patchProvider',
  method: 'PATCH',
  path: '/v2/auth/providers/{provider_id}',
  handler: 'functions/api/oauth-providers/patch.ts',
  access: ['table:get', 'table:query', 'table:put', 'keys:generate'],
  audit: ['oauth_provider.change'],
  area: 'auth',
  permission: 'providers:write',
  summary:
    'Change an OAuth provider; a new `auth_url` or `token_url` requires the client secret in the same request',
  success: 200,
  params: ofOne,
  body: changeProviderBody,
  response: providerView,
  errors: ['oauth_provider_not_found', 'immutable_field'],
  variables: ['ALLOWED_HOSTS'],
});

export const deleteProvider = route({
  operation: 'deleteProvider',
  method: 'DELETE',
  path: '/v2/auth/providers/{provider_id}',
  handler: 'functions/api/oauth-providers/delete.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:delete'],
  audit: ['oauth_provider.delete'],
  area: 'auth',
  permission: 'providers:write',
  summary: 'Forget an OAuth provider and its secret; tokens that it gave are of no use from then on',
  success: 200,
  params: ofOne,
  response: deletedProviderView,
  errors: ['oauth_provider_not_found'],
  variables: ['AUDIT_DAYS'],
});
