import { limitDefaults } from '../../../lib/settings/defaults.ts';
import { github } from '../world/requests.ts';
import { NOBODY, type openWithListener } from './wired-world.ts';

/** Nobody listens there; nothing is delivered in such a world. */
const url = 'http://127.0.0.1:9/hook';

/** Each route of webhooks, to its success, and what each refuses. */
export async function expectWebhooks({
  ask,
  refused,
}: Pick<Awaited<ReturnType<typeof openWithListener>>, 'ask' | 'refused'>): Promise<void> {
  const { id: deployment } = await ask('createDeployment', { body: github('a') });
  const body = { url, name: 'ours', event_types: ['revision.status_changed'], deployment_ids: [deployment] };
  const { id: webhook_id } = await ask('createWebhook', { body });
  const params = { webhook_id };
  await ask('listWebhooks');
  await ask('getWebhook', { params });
  await ask('patchWebhook', {
    params,
    body: { url: `${url}s`, rotate_secret: true, deployment_ids: [deployment] },
  });
  const { id: delivery_id } = await ask('testWebhook', { params });
  await ask('listWebhookDeliveries', { params });
  await ask('redeliver', { params: { webhook_id, delivery_id } });
  await refused('delivery_not_found', { id: NOBODY }, 'redeliver', {
    params: { webhook_id, delivery_id: NOBODY },
  });
  const unknown = { body: { url, deployment_ids: [NOBODY] } };
  await refused('deployment_not_found', { id: NOBODY }, 'createWebhook', unknown);
  await ask('patchWebhook', { params, body: { status: 'DISABLED' } });
  await refused('state_forbids', /is disabled: It was disabled on request\./, 'testWebhook', { params });
  await ask('patchWebhook', { params, body: { status: 'ENABLED', after: 0, event_types: null } });
  await ask('deleteWebhook', { params });
  await refused('webhook_not_found', { id: webhook_id }, 'getWebhook', { params });
  const limit = limitDefaults.webhooks;
  for (let n = 0; n < limit; n++) await ask('createWebhook', { body: { url } });
  await refused('limit_reached', { kind: 'webhooks', count: limit, limit }, 'createWebhook', {
    body: { url },
  });
}
