import * as z from 'zod';
import { ApiError, refuse } from '../contract/errors.ts';
import { once } from '../contract/once.ts';
import type { ListenerRef } from '../contract/refs.ts';
import { allows } from '../contract/roles.ts';
import type { Caller } from '../core/caller.ts';
import { hashOf } from '../core/identity/api-key.ts';
import { authenticateCaller, type IdentityDeps } from '../core/identity/authenticate.ts';
import { lacksPermission } from '../core/identity/permission-refusals.ts';
import { whoWasRefused } from '../core/identity/refused.ts';
import { isUnavailable } from '../core/unavailable.ts';
import { errorFacts, logger } from '../http/logger.ts';
import { loggedKeyUses } from '../http/notes.ts';
import { credentialIn, noteRefusal } from '../http/refusals.ts';

const headers = z
  .record(z.string(), z.string())
  .transform((given) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])),
  );
const context = z.object({
  connectionId: z.string(),
  requestId: z.string(),
  identity: z.object({ sourceIp: z.string().optional() }).optional(),
});

/** What API Gateway says of a socket; the embedded gateway says it in the same words. */
const socketEvent = z.union([
  z.object({
    requestContext: context.extend({ eventType: z.literal('CONNECT') }),
    headers,
    queryStringParameters: z.object({
      listener_id: z.guid(),
      // As claims have it.
      instance_id: z.string().min(1).max(128),
    }),
  }),
  z.object({ requestContext: context.extend({ eventType: z.literal('DISCONNECT') }) }),
]);
type Connecting = Extract<z.output<typeof socketEvent>, { headers: unknown }>;

/** API Gateway opens the socket when this is 200, else it answers the request with it. */
type SocketAnswer = { statusCode: number };

type Open<D> = (
  deps: D,
  input: { listenerId: string; instanceId: string; connectionId: string; keyHash: string },
  caller: Caller,
) => Promise<void>;

const OPERATION = 'openDoorbell';

/**
 * Makes the function that is called when a listener opens a socket, and after one has closed. A socket is
 * opened with the key that opens the listener's own routes, and is refused as they refuse it.
 */
export function socketFunction<D>(
  open: Open<D>,
  forget: (deps: D, connectionId: string) => Promise<void>,
): (deps: () => D & IdentityDeps) => (event: unknown) => Promise<SocketAnswer> {
  return (deps) => {
    const kept = once(deps);
    return async (event) => {
      const parsed = socketEvent.safeParse(event);
      if (!parsed.success) return { statusCode: 404 };
      const given = parsed.data;
      if ('headers' in given) return answerOf(kept(), given, () => connect(kept(), given, open));
      await forget(kept(), given.requestContext.connectionId);
      return { statusCode: 200 };
    };
  };
}

async function connect<D>(deps: D & IdentityDeps, given: Connecting, open: Open<D>): Promise<void> {
  const { listener_id: listenerId, instance_id: instanceId } = given.queryStringParameters;
  const apiKey = given.headers['x-api-key'];
  // Only keys are bound to a listener.
  if (apiKey === undefined) throw refuse('unauthenticated', {});
  const { keyUses = loggedKeyUses } = deps;
  const tenantId = given.headers['x-tenant-id'];
  const caller = await authenticateCaller(deps, { apiKey, tenantId }, keyUses);
  if (!allows(caller.role, 'listener:work')) throw lacksPermission(caller, 'listener:work');
  if (caller.listenerId?.toLowerCase() !== listenerId.toLowerCase())
    throw refuse('listener_forbidden', { id: listenerId });
  const { connectionId } = given.requestContext;
  await open(
    deps,
    { listenerId: caller.listenerId, instanceId, connectionId, keyHash: hashOf(apiKey) },
    caller,
  );
}

async function answerOf(
  deps: IdentityDeps,
  { requestContext: { requestId, identity }, headers: sent }: Connecting,
  connected: () => Promise<void>,
): Promise<SocketAnswer> {
  try {
    await connected();
    return { statusCode: 200 };
  } catch (error) {
    if (error instanceof ApiError) {
      const from = {
        requestId,
        sourceAddress: identity?.sourceIp ?? '',
        credential: credentialIn(sent),
        claimedTenantId: sent['x-tenant-id'],
      };
      const { status, code: reason } = error;
      noteRefusal(() => deps, { ...from, status, reason, operation: OPERATION, known: whoWasRefused(error) });
      return { statusCode: status };
    }
    logger().error('a socket could not be opened', { request_id: requestId, ...errorFacts(error) });
    return { statusCode: isUnavailable(error) ? 503 : 500 };
  }
}

const ringEvent = z.object({ tenantId: z.string(), listenerId: z.string() });

/** Makes the function that is woken when a listener may have work, or a key of it was revoked. */
export function ringFunction<D>(
  ring: (deps: D, listener: ListenerRef) => Promise<void>,
): (deps: () => D) => (event: unknown) => Promise<void> {
  return (deps) => {
    const kept = once(deps);
    return async (event) => {
      const listener = ringEvent.parse(event);
      try {
        await ring(kept(), listener);
      } catch (error) {
        logger().error('ring failed', { listener_id: listener.listenerId, ...errorFacts(error) });
        throw error;
      }
    };
  };
}
