import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';

/** One run of a container, of which a restart makes another. */
export type ContainerRun = {
  /** How many were before it. */
  index: number;
  /** Epoch milliseconds, of a whole second; undefined: it goes on. */
  endedAt: number | undefined;
};

type Runs = {
  /** Whose log the API server has; undefined: none has begun. */
  current: ContainerRun | undefined;
  /** Whose log it has as the `previous` one. */
  previous: ContainerRun | undefined;
};

/** The runs of a container that still have a log. */
export function runsOf({ status }: V1Pod, container: string): Runs {
  const found = status?.containerStatuses?.find(({ name }) => name === container);
  if (found === undefined) return { current: undefined, previous: undefined };
  const { state, lastState, restartCount } = found;
  const last = lastState?.terminated;
  const isWaiting = state?.running === undefined && state?.terminated === undefined;
  // While it waits for its next run, the last one is the current one.
  if (isWaiting) return { current: last && endedRun(restartCount, last), previous: undefined };
  return {
    current: state.terminated
      ? endedRun(restartCount, state.terminated)
      : { index: restartCount, endedAt: undefined },
    previous: last && endedRun(restartCount - 1, last),
  };
}

type Terminated = NonNullable<NonNullable<V1ContainerStatus['state']>['terminated']>;

const endedRun = (index: number, { finishedAt }: Terminated): ContainerRun => {
  // On the wire a time is a text; without one nobody knows when it was, and any time is possible.
  const at = finishedAt ? new Date(finishedAt).getTime() : Number.POSITIVE_INFINITY;
  return { index, endedAt: at };
};
