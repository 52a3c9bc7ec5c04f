import { clock, keys, settings, table, webhookSender } from '../../lib/container.ts';
import { deliver } from '../../lib/features/webhooks/deliver.ts';
import { webhookDelivery } from '../../lib/triggers/webhook-delivery.ts';

export const create = webhookDelivery(deliver);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  webhookSender: webhookSender(),
  settings: settings(),
}));
