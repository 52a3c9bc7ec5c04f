import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id, page } from '../../contract/validation/query.ts';
import { changeListenerBody, createListenerBody, listenerListView, listenerView } from './shape.ts';

const params = z.object({ listener_id: id });

export const createListener = route({
  operation: 'createListener',
  method: 'POST',
  path: '/v2/listeners',
  handler: 'functions/api/listeners/create.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update'],
  audit: ['listener.create'],
  area: 'listeners',
  permission: 'listeners:write',
  summary: 'Register a compute target',
  success: 201,
  body: createListenerBody,
  response: listenerView,
  errors: ['limit_reached', 'listener_taken'],
  variables: ['LISTENERS_MAX'],
});

export const listListeners = route({
  operation: 'listListeners',
  method: 'GET',
  path: '/v2/listeners',
  handler: 'functions/api/listeners/list.ts',
  access: ['table:get', 'table:query'],
  area: 'listeners',
  permission: 'listeners:read',
  summary: 'List compute targets, newest first',
  success: 200,
  query: z.object(page),
  response: listenerListView,
  hashed: true,
});

export const getListener = route({
  operation: 'getListener',
  method: 'GET',
  path: '/v2/listeners/{listener_id}',
  handler: 'functions/api/listeners/get.ts',
  access: ['table:get'],
  area: 'listeners',
  permission: 'listeners:read',
  summary: 'Get one compute target',
  success: 200,
  params,
  response: listenerView,
  errors: ['listener_not_found'],
});

export const patchListener = route({
  operation: 'patchListener',
  method: 'PATCH',
  path: '/v2/listeners/{listener_id}',
  handler: 'functions/api/listeners/patch.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'table:delete'],
  audit: ['listener.change'],
  area: 'listeners',
  permission: 'listeners:write',
  summary: 'Change a compute target',
  success: 200,
  params,
  body: changeListenerBody,
  response: listenerView,
  errors: ['immutable_field', 'listener_not_found', 'namespace_in_use'],
});

export const deleteListener = route({
  operation: 'deleteListener',
  method: 'DELETE',
  path: '/v2/listeners/{listener_id}',
  handler: 'functions/api/listeners/delete.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'table:delete'],
  audit: ['listener.delete'],
  area: 'listeners',
  permission: 'listeners:write',
  summary: 'Delete a compute target that no deployment uses',
  success: 204,
  params,
  response: null,
  errors: ['listener_not_found', 'listener_in_use', 'state_forbids'],
  variables: ['AUDIT_DAYS'],
});
