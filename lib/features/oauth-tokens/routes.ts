import { route } from '../../contract/routes/route.ts';
import {
  changeTokenBody,
  deletedTokensView,
  importTokenBody,
  oauthTokenListView,
  oauthTokenView,
  providerQuery,
  tokenExistsView,
  tokenParams,
} from './shape.ts';

export const listTokens = route({
  operation: 'listTokens',
  method: 'GET',
  path: '/v2/auth/tokens',
  handler: 'functions/api/oauth-tokens/list.ts',
  access: ['table:get', 'table:query'],
  area: 'auth',
  permission: 'tokens:read',
  summary: 'List the own OAuth tokens of a provider, newest first, without the tokens themselves',
  success: 200,
  query: providerQuery,
  response: oauthTokenListView,
  errors: ['oauth_provider_not_found'],
});

export const deleteTokens = route({
  operation: 'deleteTokens',
  method: 'DELETE',
  path: '/v2/auth/tokens',
  handler: 'functions/api/oauth-tokens/delete-all.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'table:delete', 'keys:decrypt'],
  audit: ['oauth_token.delete'],
  area: 'auth',
  permission: 'tokens:write',
  summary:
    'Delete all your OAuth tokens of a provider, of all agents, with their connections; they are revoked at the provider if it supports that',
  success: 200,
  query: providerQuery,
  response: deletedTokensView,
  errors: ['oauth_provider_not_found'],
  variables: ['ALLOWED_HOSTS', 'AUDIT_DAYS'],
});

export const tokenExists = route({
  operation: 'tokenExists',
  method: 'GET',
  path: '/v2/auth/tokens/exists',
  handler: 'functions/api/oauth-tokens/exists.ts',
  access: ['table:get', 'table:query'],
  area: 'auth',
  permission: 'tokens:read',
  summary: 'Whether there is an own OAuth token of a provider',
  success: 200,
  query: providerQuery,
  response: tokenExistsView,
  errors: ['oauth_provider_not_found'],
});

export const importToken = route({
  operation: 'importToken',
  method: 'POST',
  path: '/v2/auth/tokens/import',
  handler: 'functions/api/oauth-tokens/import.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'keys:generate'],
  audit: ['oauth_token.create'],
  area: 'auth',
  permission: 'tokens:write',
  summary: 'Keep an OAuth token that the same client was given elsewhere',
  success: 200,
  body: importTokenBody,
  response: oauthTokenView,
  errors: ['oauth_provider_not_found'],
});

export const deleteToken = route({
  operation: 'deleteToken',
  method: 'DELETE',
  path: '/v2/auth/tokens/{token_id}',
  handler: 'functions/api/oauth-tokens/delete.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'table:delete', 'keys:decrypt'],
  audit: ['oauth_token.delete'],
  area: 'auth',
  permission: 'tokens:write',
  summary: 'Delete an own OAuth token with its connections; it is revoked at its provider where that can be',
  success: 204,
  params: tokenParams,
  response: null,
  errors: ['oauth_token_not_found'],
  variables: ['ALLOWED_HOSTS', 'AUDIT_DAYS'],
});

export const changeTokenMetadata = route({
  operation: 'changeTokenMetadata',
  method: 'PATCH',
  path: '/v2/auth/tokens/{token_id}/metadata',
  handler: 'functions/api/oauth-tokens/change-metadata.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update'],
  audit: ['oauth_token.change'],
  area: 'auth',
  permission: 'tokens:write',
  summary: 'Change what is noted beside an own OAuth token, and whether it is the default',
  success: 200,
  params: tokenParams,
  body: changeTokenBody,
  response: oauthTokenView,
  errors: ['oauth_token_not_found'],
});
