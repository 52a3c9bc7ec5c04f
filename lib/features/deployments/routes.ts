import * as z from 'zod';
import {
  serverAnswerHeaders,
  serverAnswerTypes,
  serverAnswerView,
  serverRequestBody,
} from '../../contract/deployments/server-requests.ts';
import { deploymentStatuses, foreignStatuses } from '../../contract/revision-status.ts';
import {
  changeAccess,
  changeErrors,
  changeVariables,
  configurationEtag,
} from '../../contract/routes/change.ts';
import { route } from '../../contract/routes/route.ts';
import { id, optionalList, orNull, page, queryBoolean, queryList } from '../../contract/validation/query.ts';
import {
  changeDeploymentBody,
  createDeploymentBody,
  deletionResultsView,
  deploymentListView,
  deploymentView,
  listedDeploymentView,
} from './shape.ts';

const params = z.object({ deployment_id: id });

export const createDeployment = route({
  operation: 'createDeployment',
  method: 'POST',
  path: '/v2/deployments',
  handler: 'functions/api/deployments/create.ts',
  access: [
    'table:get',
    'table:query',
    'table:put',
    'table:update',
    'table:check',
    'keys:generate',
    'keys:decrypt',
  ],
  audit: ['deployment.create'],
  area: 'deployments',
  permission: 'deployments:write',
  summary: 'Create a deployment and its first revision',
  success: 201,
  body: createDeploymentBody,
  response: deploymentView,
  echoes: listedDeploymentView,
  headers: configurationEtag,
  countsConfiguration: true,
  errors: [
    'agent_taken',
    'compute_full',
    'host_taken',
    'integration_not_found',
    'limit_reached',
    'listener_closing',
    'listener_not_found',
    'listener_required',
    'name_taken',
    'namespace_closing',
    'source_configuration',
  ],
  variables: ['ALLOWED_HOSTS', 'DEPLOYMENTS_MAX', 'MANAGED_COMPUTE', 'REGISTRY_HOST'],
});

export const listDeployments = route({
  operation: 'listDeployments',
  method: 'GET',
  path: '/v2/deployments',
  handler: 'functions/api/deployments/list.ts',
  access: ['table:get', 'table:query'],
  area: 'deployments',
  permission: 'deployments:read',
  summary: 'List deployments, newest first',
  success: 200,
  query: z.object({
    ...page,
    name_contains: z.string().optional(),
    name: z.string().optional(),
    status: orNull(optionalList(z.enum([...deploymentStatuses, ...foreignStatuses]))),
    deployment_ids: optionalList(id),
    image_version: z.string().optional(),
    remote_reconciled: orNull(queryBoolean.optional()),
    agent_id: z.string().optional(),
    agent_environment: z.string().optional(),
    deployment_type: z.string().optional(),
    /** There are no tags: whatever is asked for, nothing has it. */
    tag_value_ids: optionalList(z.string()),
    listener_id: orNull(id.optional()),
    /** `latest_revision`: with the newest revision of each, which takes a read more. */
    include: orNull(optionalList(z.enum(['latest_revision']))),
    /** With the traffic of the last hour, which takes a read or two more for each. */
    traffic: orNull(queryBoolean.optional()),
  }),
  response: deploymentListView,
  hashed: true,
});

export const getDeployment = route({
  operation: 'getDeployment',
  method: 'GET',
  path: '/v2/deployments/{deployment_id}',
  handler: 'functions/api/deployments/get.ts',
  access: ['table:get'],
  area: 'deployments',
  permission: 'deployments:read',
  summary: 'Get one deployment',
  success: 200,
  params,
  response: deploymentView,
  headers: configurationEtag,
  countsConfiguration: true,
  errors: ['deployment_not_found'],
});

export const patchDeployment = route({
  operation: 'patchDeployment',
  method: 'PATCH',
  path: '/v2/deployments/{deployment_id}',
  handler: 'functions/api/deployments/patch.ts',
  access: changeAccess,
  audit: ['deployment.change'],
  area: 'deployments',
  permission: 'deployments:write',
  summary: 'Change a deployment; a change of its source makes a revision',
  success: 200,
  params,
  body: changeDeploymentBody,
  response: deploymentView,
  echoes: listedDeploymentView,
  headers: configurationEtag,
  countsConfiguration: true,
  errors: changeErrors,
  variables: changeVariables,
});

const deletes = ['table:get', 'table:query', 'table:put', 'table:update', 'table:delete'] as const;

export const deleteDeployment = route({
  operation: 'deleteDeployment',
  method: 'DELETE',
  path: '/v2/deployments/{deployment_id}',
  handler: 'functions/api/deployments/delete.ts',
  access: deletes,
  audit: ['deployment.delete'],
  area: 'deployments',
  permission: 'deployments:write',
  summary: 'Delete a deployment, and what its listener runs of it',
  success: 204,
  params,
  /**
   * `force`: of one that is being deleted, wait no longer for its listener. `delete_data`: keep no dump of
   * its database.
   */
  query: z.object({ force: orNull(queryBoolean.optional()), delete_data: orNull(queryBoolean.optional()) }),
  response: null,
  errors: ['deployment_not_found', 'state_forbids', 'version_mismatch'],
});

export const deleteDeployments = route({
  operation: 'deleteDeployments',
  method: 'DELETE',
  path: '/v2/deployments',
  handler: 'functions/api/deployments/delete-many.ts',
  access: deletes,
  audit: ['deployment.delete'],
  area: 'deployments',
  permission: 'deployments:write',
  summary: 'Delete several deployments; 207 when not every one could be',
  success: 200,
  query: z.object({ deployment_ids: queryList(id) }),
  response: deletionResultsView,
  isPartial: (output: { results: { status: number }[] }) =>
    output.results.some(({ status }) => status !== 204),
});

export const askServer = route({
  operation: 'askServer',
  method: 'POST',
  path: '/v2/deployments/{deployment_id}/server-requests',
  handler: 'functions/api/deployments/ask-server.ts',
  access: ['table:get'],
  audit: { none: 'it changes nothing here; what the server does with it is its own' },
  area: 'deployments',
  permission: 'deployments:write',
  summary:
    'Pass a request on to the server of a deployment that runs on the installation’s own machine; its status and headers come as `X-Server-Status` and `X-Server-Headers`, its body as it comes',
  success: 200,
  params,
  body: serverRequestBody,
  contentTypes: serverAnswerTypes,
  response: serverAnswerView,
  headers: serverAnswerHeaders,
  errors: ['deployment_not_found', 'state_forbids'],
});
