import * as z from 'zod';
import {
  createIntegrationBody,
  installedIntegrationsView,
  integrationListView,
  integrationView,
} from '../integrations.ts';
import { id, page } from '../validation/query.ts';
import { route } from './route.ts';

export const createIntegration = route({
  operation: 'createIntegration',
  method: 'POST',
  path: '/v2/integrations',
  handler: 'functions/api/integrations/create.ts',
  access: ['table:get', 'table:put', 'keys:generate'],
  audit: ['integration.create'],
  area: 'identity',
  permission: 'integrations:write',
  summary: 'Give access to the repositories of a host; the token is taken and never shown',
  success: 201,
  body: createIntegrationBody,
  response: integrationView,
  variables: ['ALLOWED_HOSTS'],
});

export const listIntegrations = route({
  operation: 'listIntegrations',
  method: 'GET',
  path: '/v2/integrations',
  handler: 'functions/api/integrations/list.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'integrations:read',
  summary: 'List integrations, newest first, without their tokens',
  success: 200,
  query: z.object(page),
  response: integrationListView,
});

export const deleteIntegration = route({
  operation: 'deleteIntegration',
  method: 'DELETE',
  path: '/v2/integrations/{integration_id}',
  handler: 'functions/api/integrations/delete.ts',
  access: ['table:get', 'table:put', 'table:delete'],
  audit: ['integration.delete'],
  area: 'identity',
  permission: 'integrations:write',
  summary:
    'Delete an integration and its token immediately; deployments that name it stay, and read their repositories without a token from then on',
  success: 204,
  params: z.object({ integration_id: id }),
  response: null,
  errors: ['integration_not_found'],
  variables: ['AUDIT_DAYS'],
});

export const listInstalledIntegrations = route({
  operation: 'listInstalledIntegrations',
  method: 'GET',
  path: '/v1/integrations/github/install',
  handler: 'functions/api/integrations/installed.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'deployments:read',
  summary: 'What an `integration_id` can be chosen from',
  success: 200,
  response: installedIntegrationsView,
});
