import { expect, it } from 'vitest';
import { create as createDeliver } from '../../../functions/webhooks/deliver.ts';
import { deleteWebhook } from '../../../lib/features/webhooks/delete.ts';
import { deliver } from '../../../lib/features/webhooks/deliver.ts';
import { interruptedAt } from '../../support/table/stepwise.ts';
import { post } from '../../support/world/requests.ts';
import { aRunningWorld } from '../../support/world/running-world.ts';
import { dataOf, delivering, expectInOrder, hasTaken, verify } from '../../support/world/webhook-world.ts';
import { allItems } from '../../support/world/world.ts';

/** A deployment with nothing to build yet has this many: that it was made, and each status of its revision. */
const EVENTS_EACH = 3;
const EVENTS = 2 * EVENTS_EACH;

/** Two deployments that were made while no webhook was there. */
async function aStory() {
  const world = delivering(await aRunningWorld());
  for (const name of ['one', 'two'])
    await post(world, { name, source: 'internal_source', source_config: {}, source_revision_config: {} });
  const seen = await world.receiver();
  await world.hook(seen.url, { after: 0 });
  await hasTaken(seen, EVENTS);
  await world.loseStream();
  return world;
}

it('a worker that dies at any of its requests loses nothing, and sends one event a deployment again', async () => {
  const world = await aStory();
  const { tenantId } = world.caller;
  let died = 0;
  for (let at = 0; ; at++) {
    const receiver = await world.receiver();
    const { id: webhookId, secret = '' } = await world.hook(receiver.url, { after: 0 });
    const broken = interruptedAt(world.deps, at, () => {
      died += 1;
      return Promise.reject(new Error('killed'));
    });
    await createDeliver(() => broken.deps)({ tenantId, webhookId }).catch(() => undefined);
    const isOver = broken.calls() <= at;
    // Whoever comes next must wait until the lease of the dead one is over.
    world.advance(61);
    await deliver(world.deps, { tenantId, webhookId });
    const ids = receiver.taken.map(({ id }) => id);
    expect(new Set(ids).size).toBe(EVENTS);
    expect(ids.length).toBeLessThanOrEqual(EVENTS + 2);
    expectInOrder(receiver.taken);
    for (const message of receiver.taken) verify(message, secret);
    await deleteWebhook(world.deps, { params: { webhook_id: webhookId } }, world.caller);
    await deliver(world.deps, { tenantId, webhookId });
    if (isOver) break;
  }
  expect(died).toBeGreaterThan(EVENTS);
  const left = (await allItems(world.deps.table)).filter(({ entity }) => entity === 'webhook_queue');
  expect(left).toEqual([]);
});

it('two workers never deliver for one webhook at the same time', async () => {
  const world = await aStory();
  const receiver = await world.receiver();
  let atWork = 0;
  receiver.answer = (response, message) => {
    atWork += 1;
    receiver.taken.push(message);
    const own = receiver.taken.filter((each) => dataOf(each).deployment_id === dataOf(message).deployment_id);
    expect(own.map((each) => dataOf(each).sequence)).toEqual(own.map((_, index) => index + 1));
    response.writeHead(204).end();
    atWork -= 1;
  };
  const { id: webhookId } = await world.hook(receiver.url, { after: 0 });
  const wake = { tenantId: world.caller.tenantId, webhookId };
  await Promise.all(Array.from({ length: 5 }, () => deliver(world.deps, wake)));
  await hasTaken(receiver, EVENTS);
  expect(receiver.taken).toHaveLength(EVENTS);
  expect(atWork).toBe(0);
});
