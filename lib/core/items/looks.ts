import type { DeploymentRef } from '../../contract/refs.ts';
import { deploymentKey, due } from '../../store/keys/index.ts';

type DueAttributes = { due_pk: string; due_at: number };

/**
 * How often sweep looks at what is in flight: longer than any healthy step, short enough that a dead one is
 * found soon.
 */
export const IN_FLIGHT_LOOK_MILLISECONDS = 60_000;

/** Later than any stream that is merely behind: what was not published by then is published by sweep. */
const ENDED_LOOK_MILLISECONDS = 60 * 60_000;

/** Makes sweep look at an item of this deployment at `at` (epoch milliseconds). */
export const dueAt = ({ tenantId, deploymentId }: DeploymentRef, at: number): DueAttributes =>
  due(deploymentKey(tenantId, deploymentId).pk, at);

/** When sweep looks at what is in flight, should nothing else wake it. */
export const inFlightDue = (ref: DeploymentRef, now: number): DueAttributes =>
  dueAt(ref, now + IN_FLIGHT_LOOK_MILLISECONDS);

/** When sweep looks at a revision that has ended and has nothing at work. */
export const endedDue = (ref: DeploymentRef, now: number): DueAttributes =>
  dueAt(ref, now + ENDED_LOOK_MILLISECONDS);

/** The attributes to remove from what sweep need not look at. */
export const DUE = ['due_pk', 'due_at'] as const;
