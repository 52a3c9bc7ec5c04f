import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id } from '../../contract/validation/query.ts';
import { deploymentLogsQuery, logPage, logQueryBody, revisionLogsQuery } from './shape.ts';

const deploymentParams = z.object({ deployment_id: id });
const params = z.object({ deployment_id: id, revision_id: id });

const common = { area: 'logs', permission: 'logs:read', success: 200, response: logPage } as const;

export const queryBuildLogs = route({
  ...common,
  operation: 'queryBuildLogs',
  method: 'POST',
  path: '/v1/projects/{deployment_id}/revisions/{revision_id}/build_logs',
  handler: 'functions/api/logs/build.ts',
  access: ['table:get', 'table:query'],
  audit: { none: 'only reads: a POST because its filters are a body' },
  summary: 'Build log of a revision',
  params,
  body: logQueryBody,
  errors: ['deployment_not_found', 'revision_not_found'],
});

export const queryDeployLogs = route({
  ...common,
  operation: 'queryDeployLogs',
  method: 'POST',
  path: '/v1/projects/{deployment_id}/revisions/{revision_id}/deploy_logs',
  handler: 'functions/api/logs/deploy.ts',
  access: ['table:get', 'table:query'],
  audit: { none: 'only reads: a POST because its filters are a body' },
  summary: 'Deploy and server log of a revision',
  params,
  body: logQueryBody,
  errors: ['deployment_not_found', 'revision_not_found'],
});

export const queryProjectDeployLogs = route({
  ...common,
  operation: 'queryProjectDeployLogs',
  method: 'POST',
  path: '/v1/projects/{deployment_id}/deploy_logs',
  handler: 'functions/api/logs/project-deploy.ts',
  access: ['table:get', 'table:query'],
  audit: { none: 'only reads: a POST because its filters are a body' },
  summary: 'Deploy and server logs of every revision of a deployment',
  params: deploymentParams,
  body: logQueryBody,
  errors: ['deployment_not_found'],
});

export const queryRevisionLogs = route({
  ...common,
  operation: 'queryRevisionLogs',
  method: 'GET',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/logs',
  handler: 'functions/api/logs/revision.ts',
  access: ['table:get', 'table:query', 'table:put'],
  audit: { none: 'writes only that a log is being followed, for some seconds' },
  summary: 'Read the log of a revision, or follow it as an event stream',
  params,
  query: revisionLogsQuery,
  eventStream: { list: 'logs', id: 'id', end: 'ended' },
  writes: 'how many follow logs of a tenant',
  errors: ['deployment_not_found', 'revision_not_found', 'too_many_followers'],
});

export const queryDeploymentLogs = route({
  ...common,
  operation: 'queryDeploymentLogs',
  method: 'GET',
  path: '/v2/deployments/{deployment_id}/logs',
  handler: 'functions/api/logs/deployment.ts',
  access: ['table:get', 'table:query', 'table:put'],
  audit: { none: 'writes only that a log is being followed, for some seconds' },
  summary: 'Read the logs of all revisions of a deployment as one, or follow them as an event stream',
  params: deploymentParams,
  query: deploymentLogsQuery,
  eventStream: { list: 'logs', id: 'id' },
  writes: 'how many follow logs of a tenant',
  errors: ['deployment_not_found', 'too_many_followers'],
});
