import type { V1Service } from '@kubernetes/client-node';
import { Overtaken } from './api-server.ts';
import type { Cluster } from './cluster.ts';
import { type Notes, noted, serviceNotes } from './noted.ts';
import { annotations } from './render/names.ts';
import { trafficTo } from './render/service.ts';

type Parts = {
  id: string;
  cluster: Cluster;
  /** Written where a task is worked on, so that a program that was paused finds out that another one works. */
  holder: string;
  /** The Service as it was last seen. */
  serviceNow: () => V1Service | undefined;
};

/**
 * The Service of one deployment, whose selector says which set gets the requests. Who works on a task has
 * written its name there, and moves the traffic only if nobody else has since.
 */
export class FencedService {
  readonly #parts: Parts;
  /** Version of the Service under which the task may move the traffic; undefined: there is no task. */
  #fence: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  isClaimed(): boolean {
    const { serviceNow, holder } = this.#parts;
    return this.#fence !== undefined && noted(serviceNow(), annotations.lease) === holder;
  }

  async claim(header: V1Service): Promise<void> {
    const written = await this.note(header, { [annotations.lease]: this.#parts.holder });
    this.#fence = written.metadata?.resourceVersion;
  }

  release(): void {
    this.#fence = undefined;
  }

  /** One write. Throws Overtaken when another program works here. */
  async move(header: V1Service, key: string, notes: Notes): Promise<void> {
    const { id, cluster, holder } = this.#parts;
    const selector = trafficTo(id, key);
    try {
      await this.#write(header, notes, selector, this.#fence);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      // Anybody may have changed it; the holder says whether it is another listener.
      const now = await cluster.read(header);
      const works = noted(now, annotations.lease);
      if (this.#fence !== undefined && works !== undefined && works !== holder) throw error;
      await this.#write(header, notes, selector, now?.metadata?.resourceVersion);
    }
  }

  /** Writes all that is noted, with some of it changed; the traffic stays where it is. */
  note(header: V1Service, change: Notes): Promise<V1Service> {
    return this.#write(header, change, this.#parts.serviceNow()?.spec?.selector);
  }

  async #write(
    header: V1Service,
    change: Notes,
    selector: Record<string, string> | undefined,
    version?: string,
  ): Promise<V1Service> {
    const { cluster, serviceNow } = this.#parts;
    const written = await cluster.note<V1Service>({
      ...header,
      metadata: {
        ...header.metadata,
        annotations: serviceNotes(serviceNow(), change),
        ...(version !== undefined && { resourceVersion: version }),
      },
      ...(selector !== undefined && { spec: { selector } }),
    });
    if (this.#fence !== undefined) this.#fence = written.metadata?.resourceVersion;
    return written;
  }
}
