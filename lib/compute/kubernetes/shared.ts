import { randomBytes } from 'node:crypto';
import type { KubernetesObject, V1Secret } from '@kubernetes/client-node';
import type { Cluster } from './cluster.ts';
import { mendOne, stamped } from './mend.ts';
import { isRoute } from './noted.ts';
import { baseNameOf, type RenderContext, type ServerSpec } from './render/context.ts';
import {
  needsStore,
  renderNetworkPolicy,
  renderPostgres,
  renderRedis,
  renderRoute,
  renderService,
  renderServiceAccount,
} from './render/deployment-objects.ts';
import type { Store } from './render/environment.ts';
import { postgresName, redisName } from './render/names.ts';
import { PASSWORD_KEY } from './render/store-objects.ts';
import { notedStorePod, storePodOf } from './render/store-pod.ts';
import type { ObjectStore } from './store.ts';
import { isHttpRoute, WayIn } from './way-in.ts';

const PASSWORD_BYTES = 24;

/** What is there already, by name. */
type There = {
  secret: (name: string) => V1Secret | undefined;
  /** The Deployment or StatefulSet of a store whose pod stays as it was made; undefined: it is made anew. */
  keptStore: (kind: 'Deployment' | 'StatefulSet', name: string) => KubernetesObject | undefined;
};

/** `renewsStores`: the pods of stores are made as the operator has them now. */
export const thereIn = (store: ObjectStore, deploymentId: string, renewsStores: boolean): There => ({
  secret: (name) => store.get(deploymentId, 'Secret', name),
  keptStore: (kind, name) =>
    renewsStores ? undefined : store.live(deploymentId, { kind, metadata: { name } }),
});

type Parts = { id: string; cluster: Cluster; store: ObjectStore };

/** What one deployment has once, whichever set serves. */
export class Shared {
  readonly #parts: Parts;
  readonly wayIn: WayIn;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.wayIn = new WayIn(parts);
  }

  /** `renewsStores`: the pods of stores are made as the operator has them now. */
  async mend(spec: ServerSpec, context: RenderContext, renewsStores: boolean): Promise<void> {
    const { cluster, store, id } = this.#parts;
    const wanted = sharedObjects(spec, context, thereIn(store, id, renewsStores));
    if (!wanted.some(isHttpRoute)) this.wayIn.forget();
    for (const object of wanted)
      await (isHttpRoute(object) ? this.wayIn.bring(object) : mendOne(cluster, store, id, stamped(object)));
    // Another compute_config leaves the way in of the one before.
    for (const route of store.everything(id).filter(isRoute))
      if (!wanted.some(({ kind }) => kind === route.kind)) await cluster.remove(route);
  }
}

/**
 * What a deployment has once, whichever set serves, in the order in which it is made. A store keeps the
 * password that its Secret has.
 */
export function sharedObjects(spec: ServerSpec, context: RenderContext, there: There): KubernetesObject[] {
  const passwordOf = (name: string): string => {
    const known = there.secret(name)?.data?.[PASSWORD_KEY];
    return known === undefined
      ? randomBytes(PASSWORD_BYTES).toString('base64url')
      : Buffer.from(known, 'base64').toString();
  };
  const podOf = (store: Store, kind: 'Deployment' | 'StatefulSet', name: string) => {
    const kept = there.keptStore(kind, name);
    return kept === undefined ? storePodOf(context, store) : notedStorePod(kept, store);
  };
  const base = baseNameOf(spec);
  const [redisIs, postgresIs] = [redisName(base), postgresName(base)];
  const redis = needsStore(spec, 'redis')
    ? renderRedis(spec, context, passwordOf(redisIs), podOf('redis', 'Deployment', redisIs))
    : undefined;
  const postgres = needsStore(spec, 'postgres')
    ? renderPostgres(spec, context, passwordOf(postgresIs), podOf('postgres', 'StatefulSet', postgresIs))
    : undefined;
  return [
    renderServiceAccount(spec, context),
    renderNetworkPolicy(spec, context),
    ...Object.values(redis ?? {}),
    ...Object.values(postgres ?? {}),
    renderService(spec, context),
    renderRoute(spec, context),
  ].filter((object): object is KubernetesObject => object !== undefined);
}
