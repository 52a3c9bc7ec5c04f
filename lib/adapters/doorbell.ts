import type { ListenerRef } from '../contract/refs.ts';

/** Where listeners open the sockets by which they are told that there is something to claim. */
export type Doorbell = {
  /** Of an instance of a listener: absolute, or relative to the listener's own routes. */
  addressOf(listenerId: string, instanceId: string): string;
};

/** Calls the function that rings at the sockets of a listener, without waiting for it. */
export type DoorbellWaker = {
  /** Throws when it cannot be called. */
  wake(listener: ListenerRef): Promise<void>;
};

/** Tells apart whom a wake-up is for. */
export const idOfRing = ({ tenantId, listenerId }: ListenerRef): string => `${tenantId} ${listenerId}`;

/** The gateway's side of open sockets, by the ids of their connections. */
export type Sockets = {
  /** Sends a text; `gone`: the socket is not open, or not yet. */
  send(connectionId: string, text: string): Promise<'sent' | 'gone'>;
  /** Closes a socket, if it is open. */
  close(connectionId: string): Promise<void>;
};
