import { createHash } from 'node:crypto';
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Cluster } from './cluster.ts';
import { covers } from './covers.ts';
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
