import { route } from '../../contract/routes/route.ts';
import {
  agentParams,
  connectionListView,
  connectionParams,
  connectionTokenView,
  connectionView,
  createConnectionBody,
} from './shape.ts';

export const listConnections = route({
  operation: 'listConnections',
  method: 'GET',
  path: '/v2/auth/agents/{agent_id}/connections',
  handler: 'functions/api/oauth-connections/list.ts',
  access: ['table:get', 'table:query'],
  area: 'auth',
  permission: 'tokens:read',
  summary: 'List the own connections of an agent, newest first',
  success: 200,
  params: agentParams,
  response: connectionListView,
});

export const createConnection = route({
  operation: 'createConnection',
  method: 'POST',
  path: '/v2/auth/agents/{agent_id}/connections',
  handler: 'functions/api/oauth-connections/create.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update'],
  audit: ['connection.create'],
  area: 'auth',
  permission: 'tokens:write',
  summary: 'Let an agent act with an own OAuth token',
  success: 201,
  params: agentParams,
  body: createConnectionBody,
  response: connectionView,
  errors: ['oauth_token_not_found', 'state_forbids'],
});

export const deleteConnection = route({
  operation: 'deleteConnection',
  method: 'DELETE',
  path: '/v2/auth/agents/{agent_id}/connections/{connection_id}',
  handler: 'functions/api/oauth-connections/delete.ts',
  access: ['table:get', 'table:put', 'table:update', 'table:delete'],
  audit: ['connection.delete'],
  area: 'auth',
  permission: 'tokens:write',
  summary: 'Take an own OAuth token from an agent; the token stays',
  success: 204,
  params: connectionParams,
  response: null,
  errors: ['connection_not_found'],
  variables: ['AUDIT_DAYS'],
});

export const getConnectionToken = route({
  operation: 'getConnectionToken',
  method: 'POST',
  path: '/v2/auth/agents/{agent_id}/connections/{connection_id}/token',
  handler: 'functions/api/oauth-connections/token.ts',
  access: ['table:get', 'table:update', 'keys:decrypt', 'keys:generate'],
  audit: ['oauth_token.read'],
  area: 'auth',
  permission: 'tokens:write',
  summary: 'Get a valid access token, refreshed if necessary; only for the owner of the connection',
  success: 200,
  params: connectionParams,
  response: connectionTokenView,
  credential: true,
  errors: [
    'connection_not_found',
    'oauth_provider_not_found',
    'oauth_token_not_found',
    'provider_unavailable',
    'token_expired',
  ],
  variables: ['ALLOWED_HOSTS'],
});
