import type { V1Pod } from '@kubernetes/client-node';
import { guessLevel } from '../../../contract/log-level.ts';
import { createMask, type Mask } from '../../../contract/mask.ts';
import { withoutSequences } from '../../../contract/terminal-text.ts';
import type { DeploySpec } from '../../../features/listener-protocol/shape.ts';
import { pause } from '../../../listener/backoff.ts';
import type { Log } from '../../../listener/log.ts';
import type { LogShipper } from '../../../listener/log-shipper.ts';
import { cutText } from '../../../processes/lines.ts';
import type { ApiServer } from '../api-server.ts';
import { kindOf, pathOf } from '../kinds.ts';
import { noted } from '../noted.ts';
import { annotations, labels } from '../render/names.ts';
import type { ObjectStore } from '../store.ts';
import { ContainerLog, type LogSource } from './container-log.ts';
import { runsOf } from './container-runs.ts';

/**
 * What was written so shortly before the last sign of life of a listener may not have been shipped by it. A
 * few lines that come twice are better than some that are missing.
 */
const LATE_MILLISECONDS = 1_000;
/** The reason of a failure waits so long for what was written before it. */
const CATCH_UP_MILLISECONDS = 2_000;

export type PodLogsParts = {
  api: Pick<ApiServer, 'read' | 'stream'>;
  store: ObjectStore;
  shipper: Pick<LogShipper, 'push' | 'room'>;
  /** What was written earlier has been shipped; undefined: nothing has. */
  since: Date | undefined;
  log: Log;
};

/** A container whose log is read. */
type Read = { log: ContainerLog; set: string; revisionId: string; podVersion: string | undefined };

/** Ships the output of servers and queue workers, under the revision that their set is of. */
export class PodLogs {
  readonly #parts: PodLogsParts;
  /** Values of a deployment's environment, by its id. Without them nothing of it may leave. */
  readonly #values = new Map<string, string[]>();
  /** The revision of a deployment that has failed, by the deployment's id. */
  readonly #failed = new Map<string, string>();
  /** By deployment, then by pod. */
  readonly #read = new Map<string, Map<string, Read>>();

  constructor(parts: PodLogsParts) {
    this.#parts = parts;
  }

  /** This is what shall run: from now on it is known what must be masked. */
  know({ deployment_id: id, revision_id, environment }: DeploySpec): void {
    if (this.#failed.get(id) === revision_id) this.#failed.delete(id);
    this.#values.set(
      id,
      environment.map(({ value }) => value),
    );
    this.look(id);
  }

  /**
   * The revision has failed. Resolves when what its servers have written is delivered. What they write until
   * they are gone is not: the last line of a log says why.
   */
  async failed({ deployment_id: id, revision_id: revisionId }: DeploySpec): Promise<void> {
    const reads = [...(this.#read.get(id)?.values() ?? [])].filter((each) => each.revisionId === revisionId);
    const late = new AbortController();
    const all = Promise.all(reads.map(({ log }) => log.caughtUp()));
    await Promise.race([all, pause(CATCH_UP_MILLISECONDS, late.signal)]);
    late.abort();
    this.#failed.set(id, revisionId);
  }

  /** Nothing of it shall run. What its pods still write is shipped, unless it has failed. */
  forget(deploymentId: string): void {
    this.#values.delete(deploymentId);
  }

  /** Something of a deployment has changed in the cluster. */
  look(deploymentId: string): void {
    const pods = new Map(this.#parts.store.all(deploymentId, 'Pod').map((pod) => [uidOf(pod), pod]));
    for (const [uid, read] of this.#read.get(deploymentId) ?? []) {
      read.revisionId = this.#revisionOf(deploymentId, read.set) ?? read.revisionId;
      const version = pods.get(uid)?.metadata?.resourceVersion;
      if (version !== read.podVersion) read.log.wake();
      read.podVersion = version;
    }
    for (const pod of pods.values()) this.#begin(deploymentId, pod);
  }

  close(): void {
    // Nothing more begins.
    this.#values.clear();
    for (const reads of this.#read.values()) for (const { log } of reads.values()) log.close();
  }

  #begin(id: string, pod: V1Pod): void {
    const { [labels.component]: container, [labels.set]: set } = pod.metadata?.labels ?? {};
    const reads = this.#read.get(id) ?? new Map<string, Read>();
    if (set === undefined || (container !== 'server' && container !== 'queue')) return;
    if (reads.has(uidOf(pod)) || runsOf(pod, container).current === undefined) return;
    const revisionId = this.#revisionOf(id, set);
    const mask = this.#maskOf(id, set);
    if (revisionId === undefined || mask === undefined) return;
    const { shipper, since, log } = this.#parts;
    const read: Read = {
      log: new ContainerLog({
        source: this.#sourceOf(pod, container),
        container,
        name: `${pod.metadata?.name}/${container}`,
        since: since && new Date(since.getTime() - LATE_MILLISECONDS),
        room: () => shipper.room(),
        deliver: (timestamp, text, isCut) => {
          if (this.#failed.get(id) === read.revisionId) return;
          const line = withoutSequences(text);
          const message = cutText(mask(line, isCut));
          shipper.push(id, read.revisionId, { timestamp, level: guessLevel(line), message });
        },
        gone: () => this.#end(id, uidOf(pod)),
        log,
      }),
      set,
      revisionId,
      podVersion: pod.metadata?.resourceVersion,
    };
    this.#read.set(id, reads.set(uidOf(pod), read));
  }

  #end(id: string, uid: string): void {
    const reads = this.#read.get(id);
    reads?.delete(uid);
    if (reads?.size !== 0) return;
    this.#read.delete(id);
    if (!this.#values.has(id)) this.#failed.delete(id);
  }

  #sourceOf(pod: V1Pod, container: string): LogSource {
    const { api } = this.#parts;
    const { name, namespace = '' } = pod.metadata ?? {};
    const path = `${pathOf(kindOf(pod), namespace)}/${name}/log`;
    return {
      pod: async () => {
        const found = await api.read(pod);
        return found !== undefined && uidOf(found) === uidOf(pod) ? found : undefined;
      },
      log: (query, signal) => api.stream(path, { ...query, container }, signal),
    };
  }

  /** Of the servers of a set, which note it also for its queue workers. */
  #revisionOf(id: string, set: string): string | undefined {
    const deployments = this.#parts.store.all(id, 'Deployment');
    const own = deployments.find(({ metadata }) => {
      const { [labels.set]: key, [labels.component]: component } = metadata?.labels ?? {};
      return key === set && component === 'server';
    });
    return noted(own, annotations.revision);
  }

  /** Undefined: not everything is known that a server of this set could tell. */
  #maskOf(id: string, set: string): Mask | undefined {
    const values = this.#values.get(id);
    const secrets = this.#parts.store.all(id, 'Secret');
    const setOf = ({ metadata }: (typeof secrets)[number]) => metadata?.labels?.[labels.set];
    // A set that drains has values that the spec has no more.
    if (values === undefined || !secrets.some((secret) => setOf(secret) === set)) return undefined;
    const own = secrets.filter((secret) => [set, undefined].includes(setOf(secret)));
    const kept = own.flatMap(({ data }) => Object.values(data ?? {}));
    return createMask([...values, ...kept.map((value) => Buffer.from(value, 'base64').toString())]);
  }
}

const uidOf = ({ metadata }: V1Pod): string => metadata?.uid ?? '';
