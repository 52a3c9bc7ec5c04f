import type { DeploymentRef } from '../../contract/refs.ts';
import { type Due, dueItems } from '../../store/due.ts';
import { equals, guard, update } from '../../store/dynamodb/expressions.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { dueShards } from '../../store/keys/index.ts';
import { deploymentOfTotals } from '../../store/keys/metrics.ts';
import { presentListener } from '../../store/keys/presence.ts';
import type { Table } from '../../store/table.ts';
import {
  deliveryIdIn,
  deploymentOf,
  deploymentOfEvents,
  revisionNumberIn,
  webhookOf,
} from './item-places.ts';
import { IN_FLIGHT_LOOK_MILLISECONDS } from './looks.ts';

/** What sweep shares out among those that run at the same time. */
export const duePartitions = dueShards;

/**
 * A deployment, its events, what was measured of it, a webhook or a listener, of which something is due;
 * `revision`: the number of the one that is, if it is one; `delivery`: the id of one that was asked for.
 */
export type DueWork = {
  of: 'deployment' | 'events' | 'metrics' | 'webhook' | 'listener';
  /** `deploymentId`: of a webhook or a listener its own id. */
  owner: DeploymentRef;
  revision: number | undefined;
  delivery: string | undefined;
  /** Epoch milliseconds. */
  dueAt: number;
  item: Due;
};

/** What is due by `until` (epoch milliseconds) in one partition, earliest first. */
export async function* dueWork(table: Table, partition: string, until: number): AsyncGenerator<DueWork> {
  for await (const item of dueItems(table, partition, until)) {
    const found = placeOf(item);
    if (found !== undefined) yield { ...found, dueAt: item.dueAt, item };
  }
}

function placeOf({ pk, sk }: Due): Pick<DueWork, 'of' | 'owner' | 'revision' | 'delivery'> | undefined {
  const nothing = { revision: undefined, delivery: undefined };
  const deployment = deploymentOf(pk);
  if (deployment !== undefined)
    return { ...nothing, of: 'deployment', owner: deployment, revision: revisionNumberIn(sk) };
  const events = deploymentOfEvents(pk);
  if (events !== undefined) return { ...nothing, of: 'events', owner: events };
  const measured = deploymentOfTotals({ pk, sk });
  if (measured !== undefined) return { ...nothing, of: 'metrics', owner: measured };
  const listener = presentListener({ pk, sk });
  if (listener !== undefined) {
    const { tenantId, listenerId: deploymentId } = listener;
    return { ...nothing, of: 'listener', owner: { tenantId, deploymentId } };
  }
  const webhook = webhookOf(pk);
  if (webhook === undefined) return undefined;
  const { tenantId, webhookId: deploymentId } = webhook;
  return { ...nothing, of: 'webhook', owner: { tenantId, deploymentId }, delivery: deliveryIdIn(sk) };
}

/**
 * Puts off what is due for as long as a look at what is in flight. Demands that nothing else has done so or
 * asked for a look since it was read.
 */
export const putOff = ({ pk, sk, dueAt }: Due, now: number): Write =>
  update(
    'due',
    { pk, sk },
    { set: { due_at: now + IN_FLIGHT_LOOK_MILLISECONDS } },
    guard('look: nobody asked for one', equals('due_at', dueAt)),
  );
