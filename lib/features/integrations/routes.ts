import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id, page } from '../../contract/validation/query.ts';
import {
  changeIntegrationBody,
  createIntegrationBody,
  installedIntegrationsView,
  integrationListView,
  integrationTestView,
  integrationView,
  repositoriesView,
} from './shape.ts';

export const createIntegration = route({
  operation: 'createIntegration',
  method: 'POST',
  path: '/v2/integrations',
  handler: 'functions/api/integrations/create.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'keys:generate'],
  audit: ['integration.create'],
  area: 'identity',
  permission: 'integrations:write',
  summary: 'Give access to the repositories of a host; the token is taken and never shown',
  success: 201,
  body: createIntegrationBody,
  response: integrationView,
  errors: ['limit_reached'],
  variables: ['ALLOWED_HOSTS', 'INTEGRATIONS_MAX'],
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

export const changeIntegration = route({
  operation: 'changeIntegration',
  method: 'PATCH',
  path: '/v2/integrations/{integration_id}',
  handler: 'functions/api/integrations/change.ts',
  access: ['table:get', 'table:put', 'keys:generate', 'keys:decrypt'],
  audit: ['integration.change'],
  area: 'identity',
  permission: 'integrations:write',
  summary: 'Change the name, token or webhook secret of an integration; what is not sent stays',
  success: 200,
  params: z.object({ integration_id: id }),
  body: changeIntegrationBody,
  response: integrationView,
  errors: ['integration_not_found'],
});

export const deleteIntegration = route({
  operation: 'deleteIntegration',
  method: 'DELETE',
  path: '/v2/integrations/{integration_id}',
  handler: 'functions/api/integrations/delete.ts',
  access: ['table:get', 'table:put', 'table:update', 'table:delete'],
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

export const testIntegration = route({
  operation: 'testIntegration',
  method: 'POST',
  path: '/v2/integrations/{integration_id}/test',
  handler: 'functions/api/integrations/test.ts',
  access: ['table:get', 'table:query', 'keys:decrypt'],
  audit: {
    none: 'it changes nothing: the token goes to its own host alone, and what it may do is no secret',
  },
  area: 'identity',
  permission: 'integrations:read',
  summary: 'Test the token of an integration at its host, and say whether deliveries come and what uses it',
  success: 200,
  params: z.object({ integration_id: id }),
  response: integrationTestView,
  errors: ['integration_not_found'],
  variables: ['ALLOWED_HOSTS'],
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

export const listRepositories = route({
  operation: 'listRepositories',
  method: 'GET',
  path: '/v1/integrations/github/{integration_id}/repos',
  handler: 'functions/api/integrations/repositories.ts',
  access: ['table:get', 'keys:decrypt'],
  area: 'identity',
  // Who deploys what the token reads chooses from it.
  permission: 'deployments:write',
  summary: 'List the repositories that the token of an integration sees, of whichever host it is',
  success: 200,
  params: z.object({ integration_id: id }),
  query: z.object(page),
  response: repositoriesView,
  audit: { none: 'the token goes to its own host alone; names of repositories are no secret' },
  errors: ['integration_not_found', 'state_forbids'],
  variables: ['ALLOWED_HOSTS'],
});
