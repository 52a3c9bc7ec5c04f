import type { KubernetesObject } from '@kubernetes/client-node';
import { labels } from './render/names.ts';

export type Stored = KubernetesObject & { spec?: unknown; status?: unknown; data?: unknown };

const keyOf = (kind: string, { metadata }: KubernetesObject): string =>
  `${kind}/${metadata?.namespace}/${metadata?.name}`;

/**
 * The objects of this listener as they were last seen: by watches, or as the answer to a change of our own,
 * which is here before its event.
 */
export class ObjectStore {
  readonly #byDeployment = new Map<string, Map<string, Stored>>();
  readonly #changed: (deploymentId: string) => void;

  constructor(changed: (deploymentId: string) => void) {
    this.#changed = changed;
  }

  deploymentIds(): string[] {
    return [...this.#byDeployment.keys()];
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
    this.#changed(deploymentId);
  }

  /** The object is gone, or none of ours any more. */
  remove(kind: string, object: KubernetesObject): void {
    const deploymentId = object.metadata?.labels?.[labels.deployment];
    const own = deploymentId === undefined ? undefined : this.#byDeployment.get(deploymentId);
    if (deploymentId === undefined || own === undefined) return;
    own.delete(keyOf(kind, object));
    if (own.size === 0) this.#byDeployment.delete(deploymentId);
    this.#changed(deploymentId);
  }

  /** One object of a deployment. */
  get<T extends KubernetesObject>(deploymentId: string, kind: string, name: string): T | undefined {
    return this.all<T>(deploymentId, kind).find(({ metadata }) => metadata?.name === name);
  }

  /** The objects of one kind that a deployment has. */
  all<T extends KubernetesObject>(deploymentId: string, kind: string): T[] {
    const own = [...(this.#byDeployment.get(deploymentId)?.values() ?? [])];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the API server serves under a kind is of its type
    return own.filter((object) => object.kind === kind) as unknown as T[];
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
