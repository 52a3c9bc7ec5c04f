import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { DeploymentRef } from '../../contract/refs.ts';
import { equals, guard, update } from '../dynamodb/expressions.ts';
import type { Write } from '../dynamodb/transact.ts';
import { dueShards } from '../keys/index.ts';
import { presentListener } from '../keys/presence.ts';
import { DUE_INDEX, type Table } from '../table.ts';
import {
  deliveryIdIn,
  deploymentOf,
  deploymentOfEvents,
  revisionNumberIn,
  webhookOf,
} from './item-places.ts';
import { IN_FLIGHT_LOOK_MILLISECONDS } from './looks.ts';

export type Due = {
  /** The key of the item in the table. */
  pk: string;
  sk: string;
  /** Epoch milliseconds. */
  dueAt: number;
};

/**
 * The items of one partition of the `due` index that are due by `until` (epoch milliseconds), earliest first.
 */
export async function* dueItems(table: Table, partition: string, until: number): AsyncGenerator<Due> {
  let startAfter: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: DUE_INDEX,
        KeyConditionExpression: 'due_pk = :partition AND due_at <= :until',
        ExpressionAttributeValues: { ':partition': partition, ':until': until },
        ...(startAfter !== undefined && { ExclusiveStartKey: startAfter }),
      }),
    );
    for (const item of page.Items ?? [])
      yield { pk: String(item.pk), sk: String(item.sk), dueAt: Number(item.due_at) };
    startAfter = page.LastEvaluatedKey;
  } while (startAfter !== undefined);
}

/** What sweep shares out among those that run at the same time. */
export const duePartitions = dueShards;

/**
 * A deployment, its events, a webhook or a listener, of which something is due; `revision`: the number of
 * the one that is, if it is one; `delivery`: the id of one that was asked for.
 */
export type DueWork = {
  of: 'deployment' | 'events' | 'webhook' | 'listener';
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
