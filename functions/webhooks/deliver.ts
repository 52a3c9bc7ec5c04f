import { clock, keys, settings, table, webhookSender } from '../../lib/container.ts';
import { deliver } from '../../lib/features/webhooks/deliver.ts';
import { deliveryHandler } from '../../lib/triggers/webhook-delivery.ts';

export const create = deliveryHandler(deliver);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  webhookSender: webhookSender(),
  settings: settings(),
}));
