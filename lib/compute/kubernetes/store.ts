import type {
  KubernetesObject,
  V1Deployment,
  V1EndpointSlice,
  V1Pod,
  V1Secret,
  V1Service,
  V1StatefulSet,
} from '@kubernetes/client-node';
import { managedKinds } from './kinds.ts';
import { belongsToData } from './noted.ts';
import { labels } from './render/names.ts';

export type Stored = KubernetesObject;

/** What is read of, by kind. */
type Kinds = {
  Deployment: V1Deployment;
  EndpointSlice: V1EndpointSlice;
  Pod: V1Pod;
  Secret: V1Secret;
  Service: V1Service;
  StatefulSet: V1StatefulSet;
};

const keyOf = (kind: string, { metadata }: KubernetesObject): string =>
  `${kind}/${metadata?.namespace}/${metadata?.name}`;

/**
 * The objects of this listener as they were last seen: by watches, or as the answer to a change of our own,
 * which is here before its event.
 */
export class ObjectStore {
  readonly #byDeployment = new Map<string, Map<string, Stored>>();
  readonly #changed: (deploymentId: string) => void;
  /** Counts changes of a deployment's objects that this driver makes; pods change all the time. */
  readonly #changes = new Map<string, number>();

  constructor(changed: (deploymentId: string) => void) {
    this.#changed = changed;
  }

  /** Those that have more than what belongs to their data. */
  deploymentIds(): string[] {
    return [...this.#byDeployment.keys()].filter((id) => !this.everything(id).every(belongsToData));
  }

  /** Takes note of an object, unless a newer state of it is known. */
  put(kind: string, object: KubernetesObject): void {
    const deploymentId = object.metadata?.labels?.[labels.deployment];
    if (deploymentId === undefined) return;
    const key = keyOf(kind, object);
    const known = this.#byDeployment.get(deploymentId)?.get(key);
    if (known !== undefined && !isNewer(object, known)) return;
    const own = this.#byDeployment.get(deploymentId) ?? new Map<string, Stored>();
    own.set(key, { ...object, kind });
    this.#byDeployment.set(deploymentId, own);
    this.#note(deploymentId, kind);
  }

  /** The object is gone, or none of ours any more. */
  remove(kind: string, object: KubernetesObject): void {
    const deploymentId = object.metadata?.labels?.[labels.deployment];
    const own = deploymentId === undefined ? undefined : this.#byDeployment.get(deploymentId);
    if (deploymentId === undefined || own === undefined) return;
    own.delete(keyOf(kind, object));
    if (own.size === 0) this.#byDeployment.delete(deploymentId);
    this.#note(deploymentId, kind);
  }

  /** Another number after each change of what this driver makes of a deployment. */
  changesOf(deploymentId: string): number {
    return this.#changes.get(deploymentId) ?? 0;
  }

  #note(deploymentId: string, kind: string): void {
    if (managedKinds.some((each) => each.kind === kind))
      this.#changes.set(deploymentId, this.changesOf(deploymentId) + 1);
    this.#changed(deploymentId);
  }

  /** An object as it is in the cluster now. */
  live(deploymentId: string, { kind, metadata }: KubernetesObject): Stored | undefined {
    return this.everything(deploymentId).find(
      (object) => object.kind === kind && object.metadata?.name === metadata?.name,
    );
  }

  /** One object of a deployment. */
  get<K extends keyof Kinds>(deploymentId: string, kind: K, name: string): Kinds[K] | undefined {
    return this.all(deploymentId, kind).find(({ metadata }) => metadata?.name === name);
  }

  /** The objects of one kind that a deployment has. */
  all<K extends keyof Kinds>(deploymentId: string, kind: K): Kinds[K][] {
    const own = this.everything(deploymentId).filter((object) => object.kind === kind);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the API server serves under a kind is of its type
    return own as unknown as Kinds[K][];
  }

  /** Everything that a deployment has. */
  everything(deploymentId: string): Stored[] {
    return [...(this.#byDeployment.get(deploymentId)?.values() ?? [])];
  }
}

/** Versions are counted by the API server's database; another object under the same name starts later. */
function isNewer({ metadata: one }: KubernetesObject, { metadata: other }: KubernetesObject): boolean {
  return BigInt(one?.resourceVersion ?? 0) > BigInt(other?.resourceVersion ?? 0);
}
