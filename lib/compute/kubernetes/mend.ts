import { createHash } from 'node:crypto';
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Cluster } from './cluster.ts';
import { quantityOf } from './quantities.ts';
import { annotations } from './render/names.ts';
import { wireOf } from './render/wire.ts';
import type { ObjectStore } from './store.ts';

/** Brings an object to what it is here, unless it is so already. True: it was not. */
export async function mendOne(
  cluster: Cluster,
  store: ObjectStore,
  deploymentId: string,
  object: KubernetesObject,
): Promise<boolean> {
  const live = store.live(deploymentId, object);
  if (live !== undefined && covers(live, wireOf(object))) return false;
  await cluster.apply(object);
  return true;
}

const DIGEST_LENGTH = 16;

/**
 * What is not rendered any more, such as an annotation, is still in the cluster's object, which has more than
 * is rendered anyway. The hash shows that it is to be applied again, and applying takes it away.
 */
export function stamped<T extends KubernetesObject>(object: T): T {
  const digest = createHash('sha256').update(JSON.stringify(object)).digest('hex').slice(0, DIGEST_LENGTH);
  const { metadata } = object;
  const more = { ...metadata?.annotations, [annotations.rendered]: digest };
  return { ...object, metadata: { ...metadata, annotations: more } };
}

/**
 * Whether an object of the cluster has everything that `wanted` names; the cluster adds fields of its own,
 * and writes quantities its own way. Lists count as a whole.
 */
export function covers(live: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted))
    return (
      Array.isArray(live) &&
      live.length === wanted.length &&
      wanted.every((each, index) => covers(live[index], each))
    );
  if (isRecord(wanted))
    return isRecord(live) && Object.entries(wanted).every(([name, each]) => covers(live[name], each));
  return live === wanted || isSameQuantity(live, wanted);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof Date);

/** `1024Mi` is `1Gi`. */
function isSameQuantity(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  const [first, second] = [quantityOf(one), quantityOf(other)];
  return first !== undefined && first === second;
}
