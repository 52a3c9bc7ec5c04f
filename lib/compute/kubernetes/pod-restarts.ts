import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { MinuteCounts } from '../../contract/deployments/counts.ts';
import { addRestarts } from '../../domain/metrics/merge.ts';

type Restarts = NonNullable<MinuteCounts['restarts']>;

/** Counts how often the kubelet has started containers again, since it was asked last. */
export class PodRestarts {
  readonly #since: number;
  /** What was seen of each container, by pod and name. */
  #seen = new Map<string, number>();
  #next = new Map<string, number>();

  /** `since`: what is older than this, in epoch milliseconds, has been counted by somebody else. */
  constructor(since: number) {
    this.#since = since;
  }

  /** New ones in these pods, one entry a reason. */
  of(pods: readonly V1Pod[]): Restarts {
    let found: Restarts = [];
    for (const pod of pods) {
      for (const status of pod.status?.containerStatuses ?? []) {
        const key = `${pod.metadata?.uid}/${status.name}`;
        const before = this.#seen.get(key) ?? (this.#isNew(pod) ? 0 : status.restartCount);
        this.#next.set(key, status.restartCount);
        const count = status.restartCount - before;
        if (count <= 0) continue;
        found = addRestarts(found, [{ reason: reasonOf(status), count }]);
      }
    }
    return found;
  }

  /** All pods were looked at: what was not seen this time is gone. */
  endRound(): void {
    this.#seen = this.#next;
    this.#next = new Map();
  }

  #isNew({ metadata }: V1Pod): boolean {
    const madeAt = metadata?.creationTimestamp;
    return madeAt !== undefined && new Date(madeAt).getTime() >= this.#since;
  }
}

/** `OOMKilled`, `exit code 1`: why the container ended before it was started again. */
function reasonOf({ lastState, state }: V1ContainerStatus): string {
  const ended = lastState?.terminated ?? state?.terminated;
  if (ended === undefined) return 'unknown';
  return ended.reason === 'OOMKilled' ? ended.reason : `exit code ${ended.exitCode}`;
}
