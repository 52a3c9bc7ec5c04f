import { describe, expect, it } from 'vitest';
import { ValidationError } from '../../../lib/contract/errors.ts';
import { deleteWebhook } from '../../../lib/features/webhooks/delete.ts';
import { redeliver, testWebhook } from '../../../lib/features/webhooks/request-delivery.ts';
import { aDeliveringWorld, hasNoCursors, is, itemsOf, patch } from '../../support/world/delivering-world.ts';
import { github, post } from '../../support/world/requests.ts';
import { hasTaken, verify } from '../../support/world/webhook-world.ts';
import { allItems } from '../../support/world/world.ts';

const noLoopback = { allowedHosts: [], loopback: false };

describe('whoever manages a webhook', () => {
  it('rotates its secret: for a day both sign, afterwards the new one', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    const { id, secret: before = '' } = await world.hook(receiver.url);
    const { secret: after = '' } = await patch(world, id, { rotate_secret: true });
    expect(after).toMatch(/^whsec_/);
    expect(after).not.toBe(before);
    const { id: testId } = await testWebhook(world.deps, { params: { webhook_id: id } }, world.caller);
    const [both] = await hasTaken(receiver, 1);
    for (const secret of [before, after])
      expect(both && verify(both, secret)).toMatchObject({ type: 'webhook.test' });
    const delivery = await is('what came of it', async () => {
      const [latest] = await world.deliveriesOf(id);
      return latest?.result !== 'PENDING' && latest;
    });
    expect(delivery).toMatchObject({ id: testId, result: 'DELIVERED', event_number: null, requested: true });
    world.advance(25 * 3600);
    await testWebhook(world.deps, { params: { webhook_id: id } }, world.caller);
    const [, one] = await hasTaken(receiver, 2);
    expect(() => one && verify(one, before)).toThrow();
    expect(one && verify(one, after)).toMatchObject({ type: 'webhook.test' });
    const stored = JSON.stringify(await allItems(world.deps.table));
    for (const secret of [before, after]) expect(stored).not.toContain(secret.slice(8));
  });

  it('has a delivery sent once more, under the same id and with its own time', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    const { id, secret = '' } = await world.hook(receiver.url, { event_types: ['deployment.created'] });
    await post(world, github('app'));
    await hasTaken(receiver, 1);
    const [first] = await is('its record', async () => {
      const deliveries = await world.deliveriesOf(id);
      return deliveries.length > 0 && deliveries;
    });
    world.advance(3600);
    const params = { webhook_id: id, delivery_id: first?.id ?? '' };
    expect(await redeliver(world.deps, { params }, world.caller)).toMatchObject({ result: 'PENDING' });
    const [one, again] = await hasTaken(receiver, 2);
    expect(again?.id).toBe(one?.id);
    expect(again?.body).toBe(one?.body);
    expect(again?.headers['webhook-timestamp']).not.toBe(one?.headers['webhook-timestamp']);
    if (again !== undefined) verify(again, secret);
    const unknown = { ...params, delivery_id: world.deps.clock.orderedId() };
    await expect(redeliver(world.deps, { params: unknown }, world.caller)).rejects.toThrow(/Delivery ID/);
  });

  it('is never shown the address of a webhook of Slack, which gets a line of text', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    const created = await world.hook(`${receiver.url}/T000/B000/XXXX`, { format: 'slack', name: 'us' });
    expect(created.url).toBe(`${new URL(receiver.url).origin}/**********`);
    const { id: deploymentId } = await post(world, github('app'));
    const [first] = await hasTaken(receiver, 1);
    expect(first && JSON.parse(first.body)).toEqual({ text: `Deployment ${deploymentId} was created.` });
    const stored = JSON.stringify(await allItems(world.deps.table));
    expect(stored).not.toContain('XXXX');
  });

  it('gives it another format, and never shows what was masked', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    const { id } = await world.hook(`${receiver.url}/T000/B000/XXXX`);
    const masked = `${new URL(receiver.url).origin}/**********`;
    expect(await patch(world, id, { format: 'slack' })).toMatchObject({ format: 'slack', url: masked });
    await testWebhook(world.deps, { params: { webhook_id: id } }, world.caller);
    const [line] = await hasTaken(receiver, 1);
    expect(line && Object.keys(JSON.parse(line.body) as object)).toEqual(['text']);
    expect(await patch(world, id, { format: 'json' })).toMatchObject({ format: 'json', url: masked });
    expect(await patch(world, id, { rotate_secret: true })).toMatchObject({ url: masked });
    expect(JSON.stringify(await allItems(world.deps.table))).not.toContain('XXXX');
    const { url } = receiver;
    expect(await patch(world, id, { url, format: 'standard' })).toMatchObject({ url, format: 'standard' });
  });

  it('may send back what is shown of it, though its address would be refused today', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    const { id } = await world.hook(`${receiver.url}/T000/B000/XXXX`, { format: 'slack' });
    const strict = {
      ...world,
      deps: { ...world.deps, settings: { ...world.deps.settings, addresses: noLoopback } },
    };
    const shown = await world.shown(id);
    expect(await patch(strict, id, shown)).toEqual(shown);
    await testWebhook(world.deps, { params: { webhook_id: id } }, world.caller);
    await hasTaken(receiver, 1);
    await expect(patch(strict, id, { url: 'http://127.0.0.1:9/' })).rejects.toThrow(ValidationError);
  });

  it('has events sent over plain http to this machine alone', async () => {
    const world = await aDeliveringWorld();
    const { id } = await world.hook('http://localhost:9/');
    for (const url of ['http://hooks.example/', 'http://93.184.216.34/', 'http://[2606:4700::1111]/']) {
      await expect(world.hook(url)).rejects.toMatchObject({ items: [{ loc: ['body', 'url'] }] });
      await expect(patch(world, id, { url })).rejects.toMatchObject({ items: [{ loc: ['body', 'url'] }] });
    }
  });

  it('deletes it with everything that was to be delivered there', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    receiver.answer = 500;
    const { id } = await world.hook(receiver.url);
    await post(world, github('app'));
    await is('a queue', async () => (await itemsOf(world, 'webhook_queue')).length > 0);
    await deleteWebhook(world.deps, { params: { webhook_id: id } }, world.caller);
    await expect(world.shown(id)).rejects.toThrow(/not found/);
    await is('its cursor to be removed', async () => {
      world.advance(61);
      await world.sweep();
      return (await itemsOf(world, 'webhook_cursor')).length === 0;
    });
    await hasNoCursors(world);
    const [feed] = await itemsOf(world, 'feed_count');
    expect(feed?.webhooks).toEqual([]);
  });

  it('names deployments of the tenant alone, and twenty webhooks at most', async () => {
    const world = await aDeliveringWorld();
    const url = 'http://127.0.0.1:9/';
    await expect(world.hook(url, { deployment_ids: [world.deps.clock.randomId()] })).rejects.toThrow(
      /Deployment ID .* not found/,
    );
    for (let n = 0; n < 20; n++) await world.hook(url);
    await expect(world.hook(url)).rejects.toThrow(/20 webhooks/);
  });
});
