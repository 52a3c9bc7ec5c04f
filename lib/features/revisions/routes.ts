import * as z from 'zod';
import { foreignStatuses, revisionCauses, revisionStatuses } from '../../contract/revision-status.ts';
import {
  changeAccess,
  changeErrors,
  changeVariables,
  configurationEtag,
} from '../../contract/routes/change.ts';
import { route } from '../../contract/routes/route.ts';
import { id, optionalList, orNull, page, queryBoolean } from '../../contract/validation/query.ts';
import { changeDeploymentBody, deploymentView, listedDeploymentView } from '../deployments/shape.ts';
import { reasonBody, redeployBody, releaseView, revisionListView, revisionView } from './shape.ts';

const deploymentParams = z.object({ deployment_id: id });
const params = z.object({ deployment_id: id, revision_id: id });

export const listRevisions = route({
  operation: 'listRevisions',
  method: 'GET',
  path: '/v2/deployments/{deployment_id}/revisions',
  handler: 'functions/api/revisions/list.ts',
  access: ['table:get', 'table:query'],
  area: 'deployments',
  permission: 'deployments:read',
  summary: 'List the revisions of a deployment, newest first',
  success: 200,
  params: deploymentParams,
  query: z.object({
    ...page,
    status: orNull(optionalList(z.enum([...revisionStatuses, ...foreignStatuses]))),
    /** What made them. */
    cause: orNull(optionalList(z.enum(revisionCauses))),
    remote_reconciled: orNull(queryBoolean.optional()),
  }),
  response: revisionListView,
  hashed: true,
  errors: ['deployment_not_found'],
});

export const createRevision = route({
  operation: 'createRevision',
  method: 'POST',
  path: '/v2/deployments/{deployment_id}/revisions',
  handler: 'functions/api/revisions/create.ts',
  access: changeAccess,
  audit: ['revision.create'],
  area: 'deployments',
  permission: 'deployments:write',
  summary: 'Make a revision, changing the configuration on the way',
  success: 201,
  params: deploymentParams,
  body: changeDeploymentBody,
  response: revisionView,
  echoes: listedDeploymentView,
  errors: changeErrors,
  variables: changeVariables,
});

export const getRevision = route({
  operation: 'getRevision',
  method: 'GET',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}',
  handler: 'functions/api/revisions/get.ts',
  access: ['table:get'],
  area: 'deployments',
  permission: 'deployments:read',
  summary: 'Get one revision',
  success: 200,
  params,
  /** `configuration`: with what it is built and run with, which takes a read more. */
  query: z.object({ include: orNull(optionalList(z.enum(['configuration']))) }),
  response: revisionView,
  hashed: true,
  errors: ['deployment_not_found', 'revision_not_found'],
});

export const redeployRevision = route({
  operation: 'redeployRevision',
  method: 'POST',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy',
  handler: 'functions/api/revisions/redeploy.ts',
  access: [
    'table:get',
    'table:query',
    'table:put',
    'table:update',
    'table:check',
    'table:delete',
    'keys:decrypt',
  ],
  audit: ['revision.redeploy'],
  area: 'deployments',
  permission: 'deployments:write',
  summary: 'Run again exactly what a revision ran',
  success: 200,
  params,
  /** `current`: with the secrets of today instead of those the revision had. */
  query: z.object({ secrets: orNull(z.enum(['current']).optional()) }),
  body: redeployBody,
  response: deploymentView,
  headers: configurationEtag,
  countsConfiguration: true,
  errors: [
    'deployment_not_found',
    'nothing_to_run',
    'queue_full',
    'revision_not_found',
    'state_forbids',
    'version_mismatch',
    'waiting_full',
  ],
  variables: ['WAITING_REVISIONS_MAX'],
});

export const interruptRevision = route({
  operation: 'interruptRevision',
  method: 'POST',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt',
  handler: 'functions/api/revisions/interrupt.ts',
  access: ['table:get', 'table:update', 'table:put', 'keys:decrypt'],
  audit: ['revision.interrupt'],
  area: 'deployments',
  permission: 'deployments:write',
  summary: 'Stop a revision that has not finished',
  success: 200,
  params,
  body: reasonBody,
  response: revisionView,
  errors: ['deployment_not_found', 'revision_not_found', 'state_forbids'],
});

export const releaseThreads = route({
  area: 'deployments',
  permission: 'deployments:write',
  success: 202,
  operation: 'releaseThreads',
  method: 'POST',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/release-threads',
  handler: 'functions/api/revisions/release-threads.ts',
  access: ['table:get', 'table:check', 'table:update', 'table:put'],
  audit: ['revision.release_threads'],
  summary: 'Let the threads that wait in a replaced revision go on with the one that serves',
  params,
  response: releaseView,
  errors: ['deployment_not_found', 'revision_not_found', 'state_forbids'],
});

/** `interruptRevision` under the name that some clients use. */
export const interruptRevisionAlias = route({
  ...interruptRevision,
  operation: 'interruptRevisionAlias',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/interruption',
  errors: ['deployment_not_found', 'revision_not_found', 'state_forbids'],
});
