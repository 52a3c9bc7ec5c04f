import { randomUUID } from 'node:crypto';
import { create as createRing } from '../../../functions/doorbell/ring.ts';
import { create as createSocket } from '../../../functions/doorbell/socket.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import type { ListenerRef } from '../../../lib/contract/refs.ts';
import { claimTasks } from '../../../lib/features/listener-protocol/claim.ts';
import type { ClaimRequest } from '../../../lib/features/listener-protocol/shape.ts';
import { limited } from '../table/limited-table.ts';
import { makeKey } from './identity-requests.ts';
import { aRunningWorld, type RunningWorld } from './running-world.ts';
import type { World } from './world.ts';

/** A running world whose listener may be rung. The sockets themselves are names. */
export type DoorbellWorld = RunningWorld & {
  /** Who may make and revoke keys. */
  admin: World;
  /** A key of the listener. */
  key: { id: string; key: string };
  /** Asks to open a socket; gives its connection's id, or the status that refuses it. */
  connect(options?: { apiKey?: string; listenerId?: string; instanceId?: string }): Promise<string | number>;
  /** The socket closes, and the gateway says so unless that is lost. */
  disconnect(connectionId: string, told?: boolean): Promise<void>;
  /** What was sent to whom, since this was asked last. */
  rung(): string[];
  /** The sockets that are open. */
  open: Set<string>;
  /** What woke the function that rings; it is not called while this is `held`. */
  wakes: ListenerRef[];
  ring(): Promise<void>;
  claim(more?: Partial<ClaimRequest>): ReturnType<typeof claimTasks>;
};

const eventOf = (eventType: string, connectionId: string) => ({
  requestContext: { eventType, connectionId, requestId: randomUUID(), identity: { sourceIp: '192.0.2.1' } },
});

export async function aDoorbellWorld(): Promise<DoorbellWorld> {
  const world = await aRunningWorld();
  const open = new Set<string>();
  const sent: string[] = [];
  const wakes: ListenerRef[] = [];
  const asRing = () => limited(world.deps, functionRows.ring.access);
  const asSocket = () => limited(world.deps, functionRows.socket.access);
  const ringFor = createRing(asRing);
  const called = createSocket(asSocket);
  Object.assign(world.deps, {
    doorbell: { addressOf: (_: string, instanceId: string) => `wss://bell.example/live?${instanceId}` },
    doorbellWaker: { wake: async (ref: ListenerRef) => void wakes.push(ref) },
    sockets: {
      send: async (connectionId: string, text: string) => {
        if (!open.has(connectionId)) return 'gone';
        sent.push(`${connectionId} ${text}`);
        return 'sent';
      },
      close: async (connectionId: string) => void open.delete(connectionId),
    },
  });
  const { listenerId } = world;
  const admin = world.as({ ...world.caller, role: 'admin' });
  const body = { name: 'listener', role: 'listener', listener_id: listenerId };
  const key = await makeKey(admin, body);
  return {
    ...world,
    admin,
    key,
    open,
    wakes,
    connect: async ({ apiKey = key.key, listenerId: of = listenerId, instanceId = 'one' } = {}) => {
      const connectionId = randomUUID();
      const { statusCode } = await called({
        ...eventOf('CONNECT', connectionId),
        // Its case is the client's.
        headers: { Host: 'bell.example', 'X-Api-Key': apiKey },
        queryStringParameters: { listener_id: of, instance_id: instanceId },
      });
      if (statusCode !== 200) return statusCode;
      open.add(connectionId);
      return connectionId;
    },
    disconnect: async (connectionId, told = true) => {
      open.delete(connectionId);
      if (told) await called(eventOf('DISCONNECT', connectionId));
    },
    rung: () => sent.splice(0),
    ring: async () => {
      for (const ref of wakes.splice(0)) await ringFor(ref);
    },
    claim: (more = {}) =>
      claimTasks(
        world.deps,
        {
          params: { listener_id: listenerId },
          body: { instance_id: 'one', max: 10, holding: [], wait_seconds: 20, ...more },
        },
        world.caller,
      ),
  };
}
