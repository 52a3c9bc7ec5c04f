import type { ServerHeader } from '../logic/server-request.ts';
import { onSession } from './session.ts';

/**
 * What a person gives for an agent that asks who they are, by deployment. It is held in the memory of this
 * tab alone, and goes to that agent alone.
 */
const given = new Map<string, readonly ServerHeader[]>();

// What one person has given, another does not have.
onSession(() => given.clear());

export const headersFor = (deploymentId: string): readonly ServerHeader[] => given.get(deploymentId) ?? [];

export function giveHeaders(deploymentId: string, headers: readonly ServerHeader[]): void {
  if (headers.length === 0) given.delete(deploymentId);
  else given.set(deploymentId, headers);
}
