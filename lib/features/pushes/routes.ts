import * as z from 'zod';
import { integrationTypes } from '../../contract/integration-types.ts';
import { route } from '../../contract/routes/route.ts';
import { id, page } from '../../contract/validation/query.ts';
import { pushDeliveryListView, pushDeliveryView } from './shape.ts';

export const listDeliveries = route({
  operation: 'listDeliveries',
  method: 'GET',
  path: '/v2/integrations/{integration_id}/deliveries',
  handler: 'functions/api/integrations/deliveries.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'integrations:read',
  summary: 'What came from the host of an integration in the last 30 days, and what it made; newest first',
  success: 200,
  params: z.object({ integration_id: id }),
  query: z.object(page),
  response: pushDeliveryListView,
  errors: ['integration_not_found'],
});

export const receiveDelivery = route({
  operation: 'receiveDelivery',
  method: 'POST',
  path: '/v1/integrations/{type}/{integration_id}/webhook',
  handler: 'functions/api/integrations/webhook.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'keys:decrypt', 'heads:wake'],
  audit: { none: 'no person asks: the delivery and the revisions that it makes are records of their own' },
  area: 'identity',
  permission: 'public',
  summary:
    'Take a delivery of a git host, proved by its signature; what a push makes is found out behind the answer',
  success: 200,
  params: z.object({ type: z.enum(integrationTypes), integration_id: id }),
  rawBody: { sizeBytesMax: 5 * 1024 * 1024 },
  response: pushDeliveryView,
});
