import { type Informer, type KubeConfig, type KubernetesObject, makeInformer } from '@kubernetes/client-node';
import { messageOf, pause } from '../../listener/backoff.ts';
import type { Log } from '../../listener/log.ts';
import { type ApiServer, Refused } from './api-server.ts';
import { httpRoute, type Kind, managedKinds, pathOf, seenKinds } from './kinds.ts';
import { labels, MANAGED_BY } from './render/names.ts';
import type { ObjectStore } from './store.ts';

const RESTART_MILLISECONDS = 1_000;

const watchKey = ({ plural }: Kind, namespace: string): string => `${namespace}/${plural}`;

type Parts = {
  config: KubeConfig;
  api: ApiServer;
  listenerId: string;
  namespaces: readonly string[];
  store: ObjectStore;
  log: Log;
};

/** Watches everything of this listener in its namespaces: one list, and then what changes. */
export class Watching {
  readonly #parts: Parts;
  readonly #informers: Informer<KubernetesObject>[] = [];
  readonly #watched = new Set<string>();
  readonly #stopped = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves when everything that is there is in the store. Throws when it cannot be listed. */
  async start(): Promise<void> {
    const { namespaces } = this.#parts;
    const kinds = [...managedKinds, ...seenKinds];
    await Promise.all(namespaces.flatMap((namespace) => kinds.map((kind) => this.#watch(kind, namespace))));
  }

  /** Watches HTTPRoutes where that was not possible before: the Gateway API may have been installed since. */
  async watchRoutes(namespace: string): Promise<void> {
    if (!this.#watched.has(watchKey(httpRoute, namespace))) await this.#watch(httpRoute, namespace);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#informers.map((informer) => informer.stop()));
  }

  async #watch(kind: Kind, namespace: string): Promise<void> {
    const { config, api, listenerId, store } = this.#parts;
    const labelSelector = `${labels.managedBy}=${MANAGED_BY},${labels.listener}=${listenerId}`;
    const path = pathOf(kind, namespace);
    const list = () => api.list(path, { labelSelector });
    if (!(await this.#isServed(kind, list))) return;
    // Another look may have been sooner.
    if (this.#watched.has(watchKey(kind, namespace))) return;
    this.#watched.add(watchKey(kind, namespace));
    const informer = makeInformer(config, path, list, labelSelector);
    for (const verb of ['add', 'update'] as const)
      informer.on(verb, (object: KubernetesObject) => store.put(kind.kind, object));
    informer.on('delete', (object: KubernetesObject) => store.remove(kind.kind, object));
    informer.on('error', (error: unknown) => void this.#startAgain(informer, kind, error));
    this.#informers.push(informer);
    await informer.start();
  }

  /** The Gateway API need not be installed, and who does not use it need not allow it to this program. */
  async #isServed(kind: Kind, list: () => Promise<unknown>): Promise<boolean> {
    try {
      await list();
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code === 404) return false;
      if (error.code !== 403 || kind !== httpRoute) throw error;
      this.#parts.log.info(`HTTPRoutes are neither made nor removed: ${error.message}`);
      return false;
    }
  }

  /** An informer ends at most errors. */
  async #startAgain(informer: Informer<KubernetesObject>, kind: Kind, error: unknown): Promise<void> {
    const { signal } = this.#stopped;
    if (signal.aborted) return;
    this.#parts.log.warn(`The watch of ${kind.plural} has ended and is started again: ${messageOf(error)}`);
    await pause(RESTART_MILLISECONDS, signal);
    if (!signal.aborted)
      await informer.start().catch((again: unknown) => this.#startAgain(informer, kind, again));
  }
}
