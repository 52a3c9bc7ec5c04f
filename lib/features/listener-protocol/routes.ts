import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id, optionalList, orNull } from '../../contract/validation/query.ts';
import {
  claimRequest,
  claimResponse,
  completeRequest,
  completeResponse,
  deploySpec,
  desiredResponse,
  heartbeatRequest,
  heartbeatResponse,
  shipLogsRequest,
  shipLogsResponse,
  statusRequest,
  statusResponse,
  taskLogsRequest,
} from './shape.ts';

const listenerParams = z.object({ listener_id: id });
const taskParams = z.object({ listener_id: id, task_id: id });

export const claimTasks = route({
  area: 'listeners',
  permission: 'listener:work',
  success: 200,
  operation: 'claimTasks',
  method: 'POST',
  path: '/v2/listeners/{listener_id}/tasks/claim',
  handler: 'functions/api/listener-protocol/claim.ts',
  access: ['table:get', 'table:query', 'table:update', 'keys:decrypt', 'artifacts:read'],
  variables: ['DOORBELL_URL'],
  audit: ['revision_spec.read'],
  summary: 'Ask for work',
  params: listenerParams,
  body: claimRequest,
  response: claimResponse,
  credential: true,
  errors: ['listener_not_found'],
});

export const heartbeatTask = route({
  area: 'listeners',
  permission: 'listener:work',
  success: 200,
  operation: 'heartbeatTask',
  method: 'POST',
  path: '/v2/listeners/{listener_id}/tasks/{task_id}/heartbeat',
  handler: 'functions/api/listener-protocol/heartbeat.ts',
  access: ['table:get', 'table:update', 'keys:decrypt'],
  audit: { none: 'a heartbeat, every few seconds' },
  summary: 'Keep a claimed task, and learn whether to stop',
  params: taskParams,
  body: heartbeatRequest,
  response: heartbeatResponse,
  errors: ['lease_taken', 'task_not_found'],
});

export const completeTask = route({
  area: 'listeners',
  permission: 'listener:work',
  success: 200,
  operation: 'completeTask',
  method: 'POST',
  path: '/v2/listeners/{listener_id}/tasks/{task_id}/complete',
  handler: 'functions/api/listener-protocol/complete.ts',
  access: ['table:get', 'table:put', 'table:update', 'table:delete', 'keys:decrypt'],
  audit: { none: "the revision's history and events say how it ended" },
  summary: 'Say how a claimed task ended',
  params: taskParams,
  body: completeRequest,
  response: completeResponse,
  errors: ['lease_taken', 'task_not_found'],
});

export const shipTaskLogs = route({
  area: 'listeners',
  permission: 'listener:work',
  success: 200,
  operation: 'shipTaskLogs',
  method: 'POST',
  path: '/v2/listeners/{listener_id}/tasks/{task_id}/logs',
  handler: 'functions/api/listener-protocol/task-logs.ts',
  access: ['table:get', 'table:put', 'keys:decrypt'],
  audit: { none: 'log lines, every few seconds; they are kept themselves' },
  summary: 'Send deploy log lines of a claimed task',
  params: taskParams,
  body: taskLogsRequest,
  response: shipLogsResponse,
  errors: ['lease_taken', 'task_not_found'],
});

export const getDesired = route({
  area: 'listeners',
  permission: 'listener:work',
  success: 200,
  operation: 'getDesired',
  method: 'GET',
  path: '/v2/listeners/{listener_id}/desired',
  handler: 'functions/api/listener-protocol/desired.ts',
  access: ['table:get', 'table:query'],
  summary: 'What should run on this listener',
  params: listenerParams,
  query: z.object({ deployment_ids: orNull(optionalList(id)) }),
  response: desiredResponse,
  headers: (output: { version: string }) => ({ ETag: `"${output.version}"` }),
  errors: ['listener_not_found'],
});

export const getSpec = route({
  area: 'listeners',
  permission: 'listener:work',
  success: 200,
  operation: 'getSpec',
  method: 'GET',
  path: '/v2/listeners/{listener_id}/deployments/{deployment_id}/spec',
  handler: 'functions/api/listener-protocol/spec.ts',
  access: ['table:get', 'keys:decrypt', 'artifacts:read'],
  audit: ['revision_spec.read'],
  summary: 'Everything needed to run a deployment, secrets included',
  params: z.object({ listener_id: id, deployment_id: id }),
  response: deploySpec,
  credential: true,
  errors: ['deployment_not_found', 'revision_not_found'],
});

export const reportStatus = route({
  area: 'listeners',
  permission: 'listener:work',
  success: 200,
  operation: 'reportStatus',
  method: 'POST',
  path: '/v2/listeners/{listener_id}/status',
  handler: 'functions/api/listener-protocol/status.ts',
  access: [
    'table:get',
    'table:query',
    'table:put',
    'table:update',
    'table:check',
    'table:delete',
    'keys:decrypt',
  ],
  audit: { none: 'a heartbeat with the state of what runs; the deployment shows it' },
  summary: 'Report what really runs',
  params: listenerParams,
  body: statusRequest,
  response: statusResponse,
  errors: ['listener_not_found'],
});

export const shipLogs = route({
  area: 'listeners',
  permission: 'listener:work',
  success: 200,
  operation: 'shipLogs',
  method: 'POST',
  path: '/v2/listeners/{listener_id}/logs',
  handler: 'functions/api/listener-protocol/logs.ts',
  access: ['table:get', 'table:put', 'keys:decrypt'],
  audit: { none: 'log lines, every few seconds; they are kept themselves' },
  summary: 'Send log lines of running agent servers',
  params: listenerParams,
  body: shipLogsRequest,
  response: shipLogsResponse,
  errors: ['listener_not_found'],
});
