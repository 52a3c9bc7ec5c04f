import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listAuditEvents } from '../../../lib/features/audit/list.ts';
import { listAuditEvents as auditRow } from '../../../lib/features/audit/routes.ts';
import { testWebhook } from '../../../lib/features/webhooks/request-delivery.ts';
import { until } from '../../support/until.ts';
import {
  aDeliveringWorld,
  type DeliveringWorld,
  hasFed,
  hasNoCursors,
  is,
  patch,
} from '../../support/world/delivering-world.ts';
import { complete } from '../../support/world/listening.ts';
import { github, post, remove } from '../../support/world/requests.ts';
import * as steps from '../../support/world/steps.ts';
import { dataOf, expectInOrder, hasTaken, verify } from '../../support/world/webhook-world.ts';

const isDisabled = (world: DeliveringWorld, id: string) =>
  is('the webhook to be disabled', async () => {
    const shown = await world.shown(id);
    return shown.status === 'DISABLED' && shown;
  });

describe('a webhook', () => {
  it('is sent every event of a deployment, in order, each signed', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    const { secret = '' } = await world.hook(receiver.url);
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await steps.deploy(world, id, revisionId);
    await hasTaken(receiver, 8);
    for (const message of receiver.taken) {
      const { number: _, ...event } = dataOf(message);
      const told = world.deps.events.published().find((each) => each.id === message.id);
      expect(verify(message, secret)).toEqual({
        type: told?.type,
        timestamp: told?.at,
        data: dataOf(message),
      });
      expect(event).toEqual(told);
    }
    expect(receiver.taken.map((message) => dataOf(message).sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await hasNoCursors(world);
    expect(world.errors).toEqual([]);
  });

  it('whose receiver is down for ten minutes is sent everything in order afterwards', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    const { id: hookId, secret = '' } = await world.hook(receiver.url);
    receiver.answer = (response) => response.destroy();
    const deployments = [];
    for (const name of ['one', 'two', 'three']) deployments.push(await post(world, github(name)));
    for (const { id, latest_revision_id: revisionId } of deployments)
      await steps.deploy(world, id, revisionId);
    for (let minute = 0; minute < 10; minute++) {
      const tried = receiver.received.length;
      world.advance(61);
      await world.sweep();
      if (minute % 3 === 0) await until(() => receiver.received.length >= tried, { what: 'attempts' });
    }
    expect(receiver.taken).toEqual([]);
    receiver.answer = 204;
    await is('everything to be delivered', async () => {
      world.advance(61);
      await world.sweep();
      return new Set(receiver.taken.map(({ id }) => id)).size >= 24;
    });
    expectInOrder(receiver.taken);
    for (const message of receiver.received) verify(message, secret);
    await hasNoCursors(world);
    expect((await world.deliveriesOf(hookId)).some(({ result }) => result === 'FAILED')).toBe(true);
  });

  it('is not delayed by another one whose receiver hangs, nor a deployment by another', async () => {
    const world = await aDeliveringWorld();
    const dead = await world.receiver();
    const alive = await world.receiver();
    dead.answer = () => undefined;
    await world.hook(dead.url);
    await world.hook(alive.url);
    const one = await post(world, github('one'));
    // Only what is of the first deployment is never answered here.
    alive.answer = (response, message) => {
      if (dataOf(message).deployment_id === one.id) return;
      alive.taken.push(message);
      response.writeHead(204).end();
    };
    const two = await post(world, github('two'));
    await steps.deploy(world, two.id, two.latest_revision_id);
    const ofTwo = await hasTaken(alive, 8);
    expect(new Set(ofTwo.map((message) => dataOf(message).deployment_id))).toEqual(new Set([two.id]));
    expectInOrder(ofTwo);
    expect(dead.taken).toEqual([]);
  });

  it('is sent only what it asked for', async () => {
    const world = await aDeliveringWorld();
    const [types, deployments] = [await world.receiver(), await world.receiver()];
    const one = await post(world, github('one'));
    await hasFed(world, 4);
    await world.hook(types.url, { event_types: ['deployment.created'] });
    await world.hook(deployments.url, { deployment_ids: [one.id] });
    const two = await post(world, github('two'));
    await steps.deploy(world, one.id, one.latest_revision_id);
    await until(() => deployments.taken.some((message) => dataOf(message).status === 'DEPLOYED'), {
      what: 'the last event of the first deployment',
    });
    expect(new Set(deployments.taken.map((message) => dataOf(message).deployment_id))).toEqual(
      new Set([one.id]),
    );
    await hasTaken(types, 1);
    expect(types.taken.map((message) => [dataOf(message).type, dataOf(message).deployment_id])).toEqual([
      ['deployment.created', two.id],
    ]);
  });

  it('that is disabled and enabled again while something is being sent goes on', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    const held: ServerResponse[] = [];
    receiver.answer = (response) => void held.push(response);
    const { id } = await world.hook(receiver.url);
    await post(world, github('one'));
    await until(() => held.length > 0, { what: 'something that is being sent' });
    // What is numbered once it is enabled again would be delivered.
    await hasFed(world, 4);
    await patch(world, id, { status: 'DISABLED' });
    await patch(world, id, { status: 'ENABLED' });
    receiver.answer = 204;
    for (const response of held) response.writeHead(204).end();
    const two = await post(world, github('two'));
    const ofDeployments = () => receiver.taken.flatMap((message) => dataOf(message).deployment_id ?? []);
    await is('what came afterwards', async () => ofDeployments().length >= 4);
    expect(new Set(ofDeployments())).toEqual(new Set([two.id]));
    await hasNoCursors(world);
    expect(world.errors).toEqual([]);
  });

  it('can begin at an earlier event', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    await post(world, github('app'));
    await hasFed(world, 4);
    await world.hook(receiver.url, { after: 1 });
    const taken = await hasTaken(receiver, 3);
    expect(taken.slice(0, 3).map((message) => dataOf(message).number)).toEqual([2, 3, 4]);
    await expect(world.hook(receiver.url, { after: 1_000_000 })).rejects.toMatchObject({ items: [{}] });
  });
});

describe('a receiver', () => {
  it('that answers 410 gets nothing more: the webhook, its event and the audit say so', async () => {
    const world = await aDeliveringWorld();
    const [gone, other] = [await world.receiver(), await world.receiver()];
    gone.answer = 410;
    const { id } = await world.hook(gone.url);
    await world.hook(other.url, { event_types: ['webhook.disabled'] });
    await post(world, github('app'));
    const { disabled_reason: reason } = await isDisabled(world, id);
    expect(reason).toMatch(/410/);
    const [told] = await hasTaken(other, 1);
    expect(told && JSON.parse(told.body)).toMatchObject({
      type: 'webhook.disabled',
      data: { webhook_id: id, reason },
    });
    const query = auditRow.query.parse({ action: 'webhook.disable' });
    const { resources } = await listAuditEvents(world.deps, { query }, world.caller);
    expect(resources).toMatchObject([{ resource_id: id, user_id: null, resource_type: 'webhook' }]);
    await hasNoCursors(world);
    expect(gone.received).toHaveLength(1);
    await expect(testWebhook(world.deps, { params: { webhook_id: id } }, world.caller)).rejects.toThrow(
      /disabled/,
    );
  });

  it('that fails for 24 hours is given up; enabled again, it gets what comes from then on', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    receiver.answer = 500;
    const { id } = await world.hook(receiver.url);
    await post(world, github('one'));
    await until(() => receiver.received.length >= 1, { what: 'an attempt' });
    await is('the webhook to be given up', async () => {
      world.advance(3600);
      await world.sweep();
      return (await world.shown(id)).status === 'DISABLED';
    });
    expect((await world.shown(id)).disabled_reason).toMatch(/24 hours.*500/);
    const [first] = receiver.received;
    const last = receiver.received.at(-1);
    // The last one may have been sent when the clock was moved on.
    expect((last?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(22 * 3_600_000);
    expect(new Set(receiver.received.map((message) => message.id)).size).toBe(1);
    await hasNoCursors(world);
    receiver.answer = 204;
    await patch(world, id, { status: 'ENABLED' });
    const two = await post(world, github('two'));
    const taken = await hasTaken(receiver, 4);
    expect(taken.every((message) => dataOf(message).deployment_id === two.id)).toBe(true);
  });

  it.each([
    ['redirects', 301, { status_code: 301, reason: expect.stringMatching(/redirects are not followed/) }],
    ['fails', 500, { status_code: 500, reason: 'The receiver answered 500.' }],
    ['closes the connection', 'close', { status_code: null, reason: expect.stringMatching(/ECONNRESET/) }],
  ] as const)('that %s is tried again', async (_, answer, said) => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    receiver.answer = answer === 'close' ? (response) => response.destroy() : answer;
    const { id } = await world.hook(receiver.url, { event_types: ['deployment.created'] });
    await post(world, github('app'));
    const [failed] = await is('a failed attempt', async () => {
      const deliveries = await world.deliveriesOf(id);
      return deliveries.length > 0 && deliveries;
    });
    expect(failed).toMatchObject({ ...said, result: 'FAILED', next_attempt_at: expect.any(String) });
    receiver.answer = 200;
    world.advance(61);
    await world.sweep();
    const [taken] = await hasTaken(receiver, 1);
    expect(taken?.id).toBe(failed?.event_id);
    // The redirect was not followed to the same server.
    expect(receiver.received.every((message) => message.id === taken?.id)).toBe(true);
  });

  it('whose name has no public address is refused', async () => {
    const world = await aDeliveringWorld();
    for (const url of ['https://10.0.0.7/', 'https://169.254.169.254/latest', 'https://[fd00::1]/'])
      await expect(world.hook(url)).rejects.toMatchObject({ items: [{ loc: ['body', 'url'] }] });
    world.deps.settings.addresses = { allowedHosts: [], loopback: false };
    await expect(world.hook('https://127.0.0.1/')).rejects.toMatchObject({
      items: [{ loc: ['body', 'url'] }],
    });
  });
});

it('what a deleted deployment still had to tell is delivered', async () => {
  const world = await aDeliveringWorld();
  const receiver = await world.receiver();
  receiver.answer = 503;
  await world.hook(receiver.url);
  const { id, latest_revision_id: revisionId } = await post(world, github('app'));
  await steps.deploy(world, id, revisionId);
  await remove(world, id);
  await complete(world, await steps.claimed(world), 'succeeded');
  await steps.isGone(world, id);
  receiver.answer = 200;
  await is('the last event', async () => {
    world.advance(61);
    await world.sweep();
    return receiver.taken.some((message) => dataOf(message).type === 'deployment.deleted');
  });
  expectInOrder(receiver.taken);
});
