import { route } from '../../contract/routes/route.ts';
import { activityListView, attentionView, deploymentParams, listActivityQuery } from './shape.ts';

export const listActivity = route({
  operation: 'listActivity',
  method: 'GET',
  path: '/v2/activity',
  handler: 'functions/api/activity/list.ts',
  access: ['table:get', 'table:query'],
  area: 'logs',
  permission: 'events:read',
  summary:
    'List what happened in the tenant, newest first, in sentences; who did what is told to those who may read the audit events',
  success: 200,
  query: listActivityQuery,
  response: activityListView,
});

export const listDeploymentActivity = route({
  operation: 'listDeploymentActivity',
  method: 'GET',
  path: '/v2/deployments/{deployment_id}/activity',
  handler: 'functions/api/activity/of-deployment.ts',
  access: ['table:get', 'table:query'],
  area: 'logs',
  permission: 'events:read',
  summary: 'List what happened to a deployment, newest first, in sentences',
  success: 200,
  params: deploymentParams,
  query: listActivityQuery,
  response: activityListView,
  errors: ['deployment_not_found'],
});

export const listAttention = route({
  operation: 'listAttention',
  method: 'GET',
  path: '/v2/attention',
  handler: 'functions/api/activity/attention.ts',
  access: ['table:get', 'table:query'],
  area: 'logs',
  permission: 'deployments:read',
  summary:
    'List what needs somebody: what failed, is unhealthy or offline, webhooks that fail and keys that end soon; only what the caller may see',
  success: 200,
  response: attentionView,
  hashed: true,
});
