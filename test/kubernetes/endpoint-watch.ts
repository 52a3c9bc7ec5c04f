import type { V1EndpointSlice } from '@kubernetes/client-node';
import { labels } from '../../lib/compute/kubernetes/render/names.ts';
import type { World } from './world.ts';

/**
 * Follows the endpoints of the Services that get deployments' requests. `gaps` names each one that had ready
 * endpoints and then, at some version, had none; `moves` counts the changes that were looked at.
 */
export class EndpointWatch {
  readonly gaps: string[] = [];
  moves = 0;
  readonly #slices = new Map<string, V1EndpointSlice>();
  readonly #served = new Set<string>();
  readonly #stops: (() => void)[] = [];

  async start(world: World): Promise<void> {
    for (const namespace of world.namespaces) {
      const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
      const stop = await world.watch(path, (type, slice) => this.#see(type, slice as V1EndpointSlice));
      this.#stops.push(stop);
    }
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #see(type: string, slice: V1EndpointSlice): void {
    const { metadata } = slice;
    // A set's own Service is for the listener alone.
    if (metadata?.labels?.[labels.set] !== undefined) return;
    const key = `${metadata?.namespace}/${metadata?.name}`;
    const service = metadata?.labels?.['kubernetes.io/service-name'] ?? '';
    if (type === 'DELETED') {
      this.#slices.delete(key);
      this.#served.delete(service);
      return;
    }
    this.moves += 1;
    this.#slices.set(key, slice);
    const own = [...this.#slices.values()].filter(
      (each) => each.metadata?.labels?.['kubernetes.io/service-name'] === service,
    );
    const ready = own
      .flatMap(({ endpoints }) => endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready);
    if (ready.length > 0) this.#served.add(service);
    else if (this.#served.has(service)) this.gaps.push(`${service} at ${metadata?.resourceVersion}`);
  }
}
