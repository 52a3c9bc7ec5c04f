import { CHANGED, CREATED, DEPLOYMENT, page, REVISION } from '../../contract/example-values.ts';

const webhook = {
  id: '01a1fdd5-6071-7283-8e9f-0a1b2c3d4e5f',
  name: 'the on-call bot',
  url: 'https://bot.example/slipway',
  format: 'standard',
  event_types: ['revision.status_changed', 'deployment.health_changed'],
  deployment_ids: [DEPLOYMENT],
  status: 'ENABLED',
  disabled_at: null,
  disabled_reason: null,
  previous_secret_until: null,
  created_at: CREATED,
  created_by: '2b3c4d5e-6f70-4182-9394-a5b6c7d8e9f0',
};

const delivery = {
  id: '01a1fdd6-7182-7394-9f0a-1b2c3d4e5f60',
  at: CHANGED,
  event_id: `${REVISION}:6`,
  event_type: 'revision.status_changed',
  event_number: 42,
  result: 'DELIVERED',
  status_code: 204,
  reason: null,
  duration_ms: 87,
  next_attempt_at: null,
  requested: false,
};

const pending = {
  ...delivery,
  result: 'PENDING',
  status_code: null,
  duration_ms: null,
  requested: true,
};

const { url, name, event_types, deployment_ids } = webhook;
const secret = 'whsec_…, shown this once';

export const webhookExamples = {
  createWebhook: {
    body: { url, name, format: 'standard', event_types, deployment_ids },
    response: { ...webhook, secret },
  },
  listWebhooks: page(webhook),
  getWebhook: { response: webhook },
  patchWebhook: { body: { rotate_secret: true }, response: { ...webhook, secret } },
  testWebhook: {
    response: { ...pending, event_id: `test:${pending.id}`, event_type: 'webhook.test', event_number: null },
  },
  listWebhookDeliveries: page(delivery),
  redeliver: { response: pending },
};
