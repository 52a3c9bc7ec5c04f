import { expect } from 'vitest';
import type { DeploymentEvent } from '../../../lib/contract/events.ts';
import { FeedWriter } from '../../../lib/core/events/feed-writer.ts';
import { putEventCount } from '../../../lib/core/items/events.ts';
import type { EventCount } from '../../../lib/domain/event-count.ts';
import { deliver } from '../../../lib/features/webhooks/deliver.ts';
import { type Units, unitsOf } from '../table/consumed.ts';
import { delivering } from './webhook-world.ts';
import type { World } from './world.ts';

/** What an event costs the table: in the feed, and at one webhook, where it comes alone. */
export async function measureEvents(
  world: World,
  deploymentId: string,
): Promise<{ fed: Units; delivered: Units; webhookLook: Units }> {
  const { deps, caller } = world;
  const { tenantId } = caller;
  const units = (work: () => Promise<unknown>) => unitsOf(deps.table.client, work);
  const feed = new FeedWriter();
  const owner = { tenantId, deploymentId: deps.clock.randomId() };
  const count = (sequence: number): EventCount => ({
    ...{ sequence, recent: [], settled: 0, published: {}, ended: [] },
  });
  const append = (sequence: number) => {
    const event: DeploymentEvent = {
      id: `${deploymentId}:${sequence}`,
      type: 'revision.status_changed',
      sequence,
      at: new Date(deps.clock.now()).toISOString(),
      tenant_id: tenantId,
      deployment_id: owner.deploymentId,
      revision_id: deploymentId,
      status: 'BUILDING',
    };
    const before = sequence === 1 ? undefined : count(sequence - 1);
    const writes = [putEventCount(owner, before, count(sequence), undefined)];
    return feed.append(deps, tenantId, async () => ({
      writes,
      events: [event],
      again: false,
      result: undefined,
    }));
  };
  await append(1);
  const fed = await units(() => append(2));
  const { hook, receiver: open } = delivering({ ...world, deps: { ...deps } });
  const receiver = await open();
  const { id: webhookId } = await hook(receiver.url);
  const wake = { tenantId, webhookId };
  await deliver(deps, wake);
  // The writer read the count before there was a webhook.
  await new FeedWriter().append(deps, tenantId, async () => ({
    writes: [],
    events: [],
    again: true,
    result: undefined,
  }));
  await append(3);
  const delivered = await units(() => deliver(deps, wake));
  expect(receiver.taken).toHaveLength(1);
  const webhookLook = await units(() => deliver(deps, wake));
  return { fed, delivered, webhookLook };
}
