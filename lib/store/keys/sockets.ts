import type { ListenerRef } from '../../contract/refs.ts';
import type { Key } from './index.ts';

const SOCKET = 'BELL#';

/** One a run of a listener: a newer socket of it takes the place of the one before. */
export const listenerSocketKey = ({ tenantId, listenerId }: ListenerRef, instanceId: string): Key => ({
  pk: `T#${tenantId}#L#${listenerId}`,
  sk: `${SOCKET}${instanceId}`,
});

/** The prefix of the sort keys of all sockets of a listener. */
export const SOCKETS = SOCKET;

/** The gateway knows a socket by the id of its connection, and no more once it has closed. */
export const socketOwnerKey = (connectionId: string): Key => ({ pk: `WS#${connectionId}`, sk: 'A' });
