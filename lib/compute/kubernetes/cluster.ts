import type { KubernetesObject, V1Pod } from '@kubernetes/client-node';
import type { ApiServer } from './api-server.ts';
import { pathOf } from './kinds.ts';
import type { ObjectStore } from './store.ts';

/** Who owns what is rendered. */
const OWNER = 'slipway';
/** Who owns the number of servers: an autoscaler takes it over, and is left it. */
const SCALER = 'slipway-scale';
/** Who owns what this driver notes on objects, and where the traffic goes. */
const STATE = 'slipway-state';

const LAST_WORDS_LINES = 30;
/** A pod is looked at more often than the kubelet says anything. */
const EVENTS_KEPT_MILLISECONDS = 2_000;

type EventObject = KubernetesObject & { message?: string; lastTimestamp?: string; eventTime?: string };

/** What this driver changes in the cluster and asks of it. What was changed is in the store at once. */
export class Cluster {
  readonly #api: ApiServer;
  readonly #store: ObjectStore;
  readonly #events = new Map<string, { at: number; messages: Promise<string[]> }>();

  constructor(api: ApiServer, store: ObjectStore) {
    this.#api = api;
    this.#store = store;
  }

  /** Makes an object, or brings the fields that are rendered back to what they are here. */
  apply = <T extends KubernetesObject>(object: T): Promise<T> => this.#apply(object, OWNER);

  /** Sets the number of servers of a Deployment and leaves all else. With all else given, it is made. */
  scale = <T extends KubernetesObject>(object: T): Promise<T> => this.#apply(object, SCALER);

  /** Writes all that is noted on an object; with a version, unless the object has changed since. */
  note = <T extends KubernetesObject>(object: T): Promise<T> => this.#apply(object, STATE);

  /** Throws Refused when the API server would not take the object. */
  async tryOut(object: KubernetesObject): Promise<void> {
    await this.#api.apply(object, OWNER, 'All');
  }

  /** The object as it is now, whatever watches have told. */
  async read<T extends KubernetesObject>(object: T): Promise<T | undefined> {
    const found = await this.#api.read(object);
    if (found !== undefined) this.#store.put(object.kind ?? '', found);
    return found;
  }

  async remove(object: KubernetesObject): Promise<void> {
    await this.#api.remove(object);
    this.#store.remove(object.kind ?? '', object);
  }

  /** Deletes the claims of volumes that carry these labels, with the data in them. */
  removeVolumes(namespace: string, labelSelector: string): Promise<void> {
    return this.#api.removeAll(`/api/v1/namespaces/${namespace}/persistentvolumeclaims`, labelSelector);
  }

  /** The last lines that a container wrote before it ended. */
  async lastWords({ metadata }: V1Pod, container: string): Promise<string[]> {
    const pods = pathOf({ apiVersion: 'v1', kind: 'Pod', plural: 'pods' }, metadata?.namespace ?? '');
    const query = { container, previous: 'true', tailLines: String(LAST_WORDS_LINES) };
    const text = await this.#api.text(`${pods}/${metadata?.name}/log`, query).catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  }

  /** What is said of an object, the newest last; as it was some seconds ago, if that was asked. */
  eventsOf({ metadata }: KubernetesObject): Promise<string[]> {
    return this.#knownEvents(metadata?.namespace ?? '', `involvedObject.uid=${metadata?.uid}`);
  }

  /** The events of a volume's claim, which is known by its name alone. */
  eventsOfClaim(namespace: string, name: string): Promise<string[]> {
    const kind = 'involvedObject.kind=PersistentVolumeClaim';
    return this.#knownEvents(namespace, `${kind},involvedObject.name=${name}`);
  }

  #knownEvents(namespace: string, selector: string): Promise<string[]> {
    const key = `${namespace} ${selector}`;
    const known = this.#events.get(key);
    if (known !== undefined && Date.now() - known.at < EVENTS_KEPT_MILLISECONDS) return known.messages;
    const messages = this.#askEvents(namespace, selector);
    for (const [other, { at }] of this.#events)
      if (Date.now() - at >= EVENTS_KEPT_MILLISECONDS) this.#events.delete(other);
    this.#events.set(key, { at: Date.now(), messages });
    return messages;
  }

  async #askEvents(namespace: string, fieldSelector: string): Promise<string[]> {
    const path = `/api/v1/namespaces/${namespace}/events`;
    const { items } = await this.#api.list(path, { fieldSelector });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of this collection
    const events = items as EventObject[];
    const at = ({ lastTimestamp, eventTime }: EventObject) =>
      Date.parse(lastTimestamp ?? eventTime ?? '') || 0;
    return events.toSorted((one, other) => at(one) - at(other)).map(({ message = '' }) => message);
  }

  async #apply<T extends KubernetesObject>(object: T, manager: string): Promise<T> {
    const applied = await this.#api.apply(object, manager);
    this.#store.put(object.kind ?? '', applied);
    return applied;
  }
}
