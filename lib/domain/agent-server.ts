import { type ComputeType, computeKinds } from '../compute/kinds.ts';
import type { AgentServer, Source } from '../contract/revision-status.ts';
import { LICENCE_VARIABLES, type NeedsMissing, STORE_SECRETS } from './agent-failure.ts';
import { sourceKinds } from './source.ts';

/** What is known of what a revision runs; `server` only where a build of ours has made it. */
type Made = { source: Source; server: AgentServer | undefined };

/** A resource_spec as it was sent, before anything is filled in. */
type Sent = Readonly<Record<string, unknown>>;

const hasAny = (sent: Sent, groups: readonly string[]): boolean =>
  Object.entries(sent).some(
    ([field, value]) =>
      value !== null && value !== undefined && groups.some((group) => field.startsWith(group)),
  );

/**
 * What a revision runs. The build says so, or the kind of its source; of any other image, and of what was
 * built before builds said so, the resource_spec tells: nothing else has a queue, a database and a Redis.
 */
export function serverOf({ source, server }: Made, sent: Sent): AgentServer {
  if (server !== undefined) return server;
  const said = hasAny(sent, ['queue_', 'db_', 'redis_']) ? 'langgraph' : 'other';
  return sourceKinds[source].server ?? said;
}

/** Whether the runs of a server are worked on apart from it. */
export const hasQueue = (server: AgentServer, sent: Sent): boolean =>
  server === 'langgraph' && hasAny(sent, ['queue_']);

/** What a LangGraph server would be without on compute of a type, given the names of its variables. */
export function needsMissing(computeType: ComputeType, names: ReadonlySet<string>): NeedsMissing {
  const { bringsStores, runs } = computeKinds[computeType];
  const stores = bringsStores ? [] : STORE_SECRETS.filter((name) => !names.has(name));
  // Only as an image is it LangChain's own, which asks for one.
  const licence = runs === 'image' && !LICENCE_VARIABLES.some((name) => names.has(name));
  return { kind: 'needs_missing', stores, licence };
}
