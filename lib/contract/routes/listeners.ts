import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { createListenerBody } from '../listener-requests.ts';
import { id, page } from '../query.ts';
import { listenerListView, listenerView } from '../views.ts';
import { route } from './route.ts';

export const createListener = route({
  operation: 'createListener',
  method: 'POST',
  path: '/v2/listeners',
  handler: 'functions/api/listeners/create.ts',
  access: ['table:get', 'table:put', 'table:update'],
  area: 'listeners',
  permission: 'listeners:write',
  summary: 'Register a compute target',
  success: 201,
  body: createListenerBody,
  response: listenerView,
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
  query: lazy(() => z.object(page())),
  response: listenerListView,
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
  params: lazy(() => z.object({ listener_id: id() })),
  response: listenerView,
});
