import * as z from 'zod';
import type { Unmeasured } from '../../contract/deployments/counts.ts';
import { messageOf } from '../../listener/backoff.ts';
import type { Log } from '../../listener/log.ts';
import { type ApiServer, Refused } from './api-server.ts';
import { pathOf } from './kinds.ts';
import { quantityOf } from './quantities.ts';
import { labels, MANAGED_BY } from './render/names.ts';

/** What a pod uses, in cores and bytes, as metrics-server has measured it last. */
export type PodUsage = { cpuCores: number; memoryBytes: number };

const podMetrics = { apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics', plural: 'pods' };

/** Quantities may be numbers in JSON. */
const quantity = z.union([z.string(), z.number()]).transform((value) => quantityOf(String(value)) ?? 0);
const item = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  containers: z.array(z.object({ usage: z.object({ cpu: quantity, memory: quantity }) })),
});

const NOT_INSTALLED = 'metrics-server is not installed in this cluster.';
const NOT_ALLOWED =
  "The listener's role does not allow it to list pods of metrics.k8s.io. The chart slipway-listener allows it: upgrade it.";

type Parts = { api: Pick<ApiServer, 'list'>; listenerId: string; log: Log };

/** Asks `metrics.k8s.io`, which a cluster need not have. */
export class PodMetrics {
  readonly #parts: Parts;
  #why: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Why nothing is told; empty: it is. */
  get missing(): Unmeasured[] {
    const why = this.#why;
    return why === undefined ? [] : [what('cpu', why), what('memory', why)];
  }

  /** By `namespace/name`, of all pods of this listener in these namespaces. */
  async read(namespaces: Iterable<string>): Promise<Map<string, PodUsage>> {
    try {
      const found = await Promise.all([...namespaces].map((namespace) => this.#in(namespace)));
      this.#why = undefined;
      return new Map(found.flat());
    } catch (error) {
      const refusal = refusalOf(error);
      // What passes is told again a minute later.
      if (refusal === undefined) this.#parts.log.warn(`pods were not measured: ${messageOf(error)}`);
      else if (refusal !== this.#why)
        this.#parts.log.info(`Processors and memory are not measured: ${refusal}`);
      this.#why = refusal;
      return new Map();
    }
  }

  async #in(namespace: string): Promise<[string, PodUsage][]> {
    const labelSelector = `${labels.managedBy}=${MANAGED_BY},${labels.listener}=${this.#parts.listenerId}`;
    const { items } = await this.#parts.api.list(pathOf(podMetrics, namespace), { labelSelector });
    return z
      .array(item)
      .parse(items)
      .map(({ metadata, containers }) => [
        `${metadata.namespace}/${metadata.name}`,
        {
          cpuCores: sum(containers.map(({ usage }) => usage.cpu)),
          memoryBytes: Math.round(sum(containers.map(({ usage }) => usage.memory))),
        },
      ]);
  }
}

const what = (name: Unmeasured['what'], why: string): Unmeasured => ({ what: name, why });
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Refused)) return undefined;
  if (error.code === 404) return NOT_INSTALLED;
  return error.code === 403 ? NOT_ALLOWED : undefined;
}
