import { expect, it } from 'vitest';
import type { EventListView } from '../../lib/features/events/shape.ts';
import type { DeliveryView, WebhookSecretView } from '../../lib/features/webhooks/shape.ts';
import { expectApi, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import type { Tour } from './tour.ts';

/** The first pauses between attempts are minutes at most. */
const RETRY_MS = 280_000;
const DELIVERY_TIMEOUT_MS = 600_000;
/** Nobody is there: from a cloud nothing but public addresses is reached. */
const url = 'https://nothing.invalid/hook';

/** What happened, as whoever was away reads it, and the attempts to deliver it. */
export function webhookTests(at: () => Tour): void {
  const ask = <T>(method: string, path: string, body: object | undefined, status: number) =>
    expectApi<T>(at().slipway, method, path, body, status);
  const deliveriesOf = async (id: string) =>
    (await ask<{ resources: DeliveryView[] }>('GET', `/v2/webhooks/${id}/deliveries`, undefined, 200))
      .resources;

  it('keeps what happened, numbered without gaps, and lets it be followed', async () => {
    const { slipway } = at();
    const { resources, after, missed } = await ask<EventListView>(
      'GET',
      '/v2/events?limit=1000',
      undefined,
      200,
    );
    expect(resources.length).toBeGreaterThan(10);
    expect(resources.map(({ number }) => number)).toEqual(resources.map((_, index) => index + 1));
    expect([after, missed]).toEqual([resources.length, 0]);
    const headers = { 'x-api-key': slipway.apiKey, accept: 'text/event-stream', 'last-event-id': '1' };
    const response = await fetch(`${slipway.baseUrl}/v2/events`, { headers });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(await response.text()).toContain('id: 2\n');
  });

  it('wakes the function that delivers, which says what came of it', {
    timeout: DELIVERY_TIMEOUT_MS,
  }, async () => {
    const [hello] = (
      await ask<{ resources: ShownDeployment[] }>('GET', '/v2/deployments?name=hello', undefined, 200)
    ).resources;
    const deployment_ids = [hello?.id ?? ''];
    const asked = { url, deployment_ids };
    const { id } = await ask<WebhookSecretView>('POST', '/v2/webhooks', asked, 201);
    const path = `/v2/webhooks/${id}`;
    const change = { rotate_secret: true, deployment_ids };
    expect(await ask<WebhookSecretView>('PATCH', path, change, 200)).toHaveProperty('secret');
    expect(await ask('GET', path, undefined, 200)).not.toHaveProperty('secret');
    await ask('GET', '/v2/webhooks', undefined, 200);
    const test = await ask<DeliveryView>('POST', `${path}/test`, undefined, 201);
    const failed = await until(
      async () => (await deliveriesOf(id)).find((each) => each.id === test.id && each.result !== 'PENDING'),
      { what: 'the test to be sent' },
    );
    expect(failed).toMatchObject({ result: 'FAILED', reason: expect.stringMatching(/connection failed/) });
    await ask('POST', `${path}/deliveries/${test.id}/redeliver`, undefined, 201);
    // Everything from the beginning: what cannot be delivered waits in a queue.
    await ask('PATCH', path, { status: 'DISABLED' }, 200);
    await ask('PATCH', path, { status: 'ENABLED', after: 0 }, 200);
    await until(async () => (await deliveriesOf(id)).some(({ event_number }) => event_number !== null), {
      what: 'an event to be tried',
    });
    // What failed is tried again when a sweep finds it due.
    const isWoken = async () => {
      const { 'slipway-test-sweep': sweep } = await at().ground.emulator.permissions();
      return sweep?.used.includes('lambda:InvokeFunction');
    };
    await until(isWoken, { timeoutMs: RETRY_MS, what: 'a sweep to find the next attempt' });
    await ask('DELETE', path, undefined, 204);
    const isCleanedUp = async () => {
      const { 'slipway-test-deliver': deliver } = await at().ground.emulator.permissions();
      return deliver?.used.includes('dynamodb:DeleteItem');
    };
    await until(isCleanedUp, { what: 'its queue to be removed' });
  });
}
