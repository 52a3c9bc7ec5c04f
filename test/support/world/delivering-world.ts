import { listEvents } from '../../../lib/features/events/list.ts';
import { listEvents as eventsRow } from '../../../lib/features/events/routes.ts';
import { patchWebhook } from '../../../lib/features/webhooks/patch.ts';
import { patchWebhook as patchRow } from '../../../lib/features/webhooks/routes.ts';
import { until } from '../until.ts';
import { aRunningWorld } from './running-world.ts';
import { delivering } from './webhook-world.ts';
import { allItems } from './world.ts';

/** A world that runs, and delivers to webhooks. */
export const aDeliveringWorld = async () => delivering(await aRunningWorld());
export type DeliveringWorld = Awaited<ReturnType<typeof aDeliveringWorld>>;

export const patch = ({ deps, caller }: DeliveringWorld, id: string, body: object) =>
  patchWebhook(deps, { params: { webhook_id: id }, body: patchRow.body.parse(body) }, caller);

/** What is stored of one kind. */
export const itemsOf = async ({ deps }: DeliveringWorld, entity: string) =>
  (await allItems(deps.table)).filter((item) => item.entity === entity);

/** Waits for something. */
export const is = <T>(what: string, condition: () => Promise<T | false>) => until(condition, { what });

/** Waits until the feed has so many events; a new deployment has four until its build ends. */
export const hasFed = ({ deps, caller }: DeliveringWorld, count: number) =>
  is(`${count} events`, async () => {
    const query = eventsRow.query.parse({});
    return (await listEvents(deps, { query, headers: {} }, caller)).after >= count;
  });

export const hasNoCursors = (world: DeliveringWorld) =>
  is('its queues to be removed', async () => (await itemsOf(world, 'webhook_queue')).length === 0);
