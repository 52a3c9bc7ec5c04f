import type { DeploySpec } from '../../features/listener-protocol/shape.ts';

type Wishes = Pick<DeploySpec, 'drain_seconds'> | undefined;

/**
 * How long requests under way may go on at a server that is replaced: as its deployment wishes by now, else
 * as this listener has it.
 */
export const drainMillisecondsOf = (next: Wishes, ownMilliseconds: number): number => {
  const wished = next?.drain_seconds ?? undefined;
  return wished === undefined ? ownMilliseconds : wished * 1000;
};

/** The time limit where new requests wait for those under way: never longer than this listener has it. */
export const settleMillisecondsOf = (next: Wishes, ownMilliseconds: number): number =>
  Math.min(drainMillisecondsOf(next, ownMilliseconds), ownMilliseconds);
