import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id, page } from '../../contract/validation/query.ts';
import {
  createWebhookBody,
  deliveryListView,
  deliveryView,
  listDeliveriesQuery,
  patchWebhookBody,
  webhookListView,
  webhookSecretView,
  webhookView,
} from './shape.ts';

const params = z.object({ webhook_id: id });

export const createWebhook = route({
  operation: 'createWebhook',
  method: 'POST',
  path: '/v2/webhooks',
  handler: 'functions/api/webhooks/create.ts',
  access: ['table:get', 'table:put', 'table:check', 'keys:generate'],
  audit: ['webhook.create'],
  area: 'identity',
  permission: 'webhooks:write',
  summary: 'Have events delivered to an address; the secret that signs them is shown this once',
  success: 201,
  body: createWebhookBody,
  response: webhookSecretView,
  errors: ['limit_reached', 'deployment_not_found'],
  variables: ['ALLOWED_HOSTS', 'WEBHOOKS_MAX'],
  credential: true,
});

export const listWebhooks = route({
  operation: 'listWebhooks',
  method: 'GET',
  path: '/v2/webhooks',
  handler: 'functions/api/webhooks/list.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'webhooks:read',
  summary: 'List webhooks, newest first, without their secrets',
  success: 200,
  query: z.object(page),
  response: webhookListView,
});

export const getWebhook = route({
  operation: 'getWebhook',
  method: 'GET',
  path: '/v2/webhooks/{webhook_id}',
  handler: 'functions/api/webhooks/get.ts',
  access: ['table:get'],
  area: 'identity',
  permission: 'webhooks:read',
  summary: 'Get a webhook, without its secret',
  success: 200,
  params,
  response: webhookView,
  errors: ['webhook_not_found'],
});

export const patchWebhook = route({
  operation: 'patchWebhook',
  method: 'PATCH',
  path: '/v2/webhooks/{webhook_id}',
  handler: 'functions/api/webhooks/patch.ts',
  access: ['table:get', 'table:put', 'table:check', 'keys:generate', 'keys:decrypt'],
  audit: ['webhook.change'],
  area: 'identity',
  permission: 'webhooks:write',
  summary: 'Change a webhook, disable it or enable it again, or give it another secret',
  success: 200,
  params,
  body: patchWebhookBody,
  response: webhookSecretView,
  errors: ['webhook_not_found', 'deployment_not_found'],
  variables: ['ALLOWED_HOSTS'],
  credential: true,
});

export const deleteWebhook = route({
  operation: 'deleteWebhook',
  method: 'DELETE',
  path: '/v2/webhooks/{webhook_id}',
  handler: 'functions/api/webhooks/delete.ts',
  access: ['table:get', 'table:put', 'table:update', 'table:delete'],
  audit: ['webhook.delete'],
  area: 'identity',
  permission: 'webhooks:write',
  summary: 'Delete a webhook with its secret; what was not delivered is dropped',
  success: 204,
  params,
  response: null,
  errors: ['webhook_not_found'],
  variables: ['AUDIT_DAYS'],
});

export const testWebhook = route({
  operation: 'testWebhook',
  method: 'POST',
  path: '/v2/webhooks/{webhook_id}/test',
  handler: 'functions/api/webhooks/test.ts',
  access: ['table:get', 'table:put'],
  audit: ['webhook.test'],
  area: 'identity',
  permission: 'webhooks:write',
  summary: 'Send an event `webhook.test` once; its delivery tells what came of it',
  success: 201,
  params,
  response: deliveryView,
  errors: ['webhook_not_found', 'state_forbids'],
});

export const listWebhookDeliveries = route({
  operation: 'listWebhookDeliveries',
  method: 'GET',
  path: '/v2/webhooks/{webhook_id}/deliveries',
  handler: 'functions/api/webhooks/deliveries.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'webhooks:read',
  summary: 'List attempts to deliver events, newest first; kept for 30 days',
  success: 200,
  params,
  query: listDeliveriesQuery,
  response: deliveryListView,
  errors: ['webhook_not_found'],
});

export const redeliver = route({
  operation: 'redeliver',
  method: 'POST',
  path: '/v2/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
  handler: 'functions/api/webhooks/redeliver.ts',
  access: ['table:get', 'table:put'],
  audit: ['webhook.redeliver'],
  area: 'identity',
  permission: 'webhooks:write',
  summary:
    'Send the event of a delivery once more, under the same `webhook-id`, beside the order of the others',
  success: 201,
  params: params.extend({ delivery_id: id }),
  response: deliveryView,
  errors: ['webhook_not_found', 'delivery_not_found', 'state_forbids'],
});
