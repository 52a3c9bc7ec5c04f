import { deliver } from '../../lib/app/webhooks/deliver.ts';
import { clock, keys, settings, table, webhookSender } from '../../lib/container.ts';
import { webhookDelivery } from '../../lib/triggers/webhook-delivery.ts';

export const create = webhookDelivery(deliver);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  webhookSender: webhookSender(),
  settings: settings(),
}));
