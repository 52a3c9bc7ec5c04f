import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Doorbell, Sockets } from '../../adapters/doorbell.ts';
import { clientAddressOf, requestTargetOf } from './event.ts';

/** Called as API Gateway calls the function of a WebSocket API. */
export type SocketHandler = (event: unknown) => Promise<{ statusCode: number }>;

export type EmbeddedSockets = Sockets & {
  /** Names what is called when a socket is to be opened, and after it has closed. */
  onEvent(handler: SocketHandler): void;
  /** Answers a request to open a socket. `trustProxy`: `X-Forwarded-For` says where it comes from. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, trustProxy: boolean): Promise<void>;
  /** Ends all sockets, and opens no more. */
  end(): void;
};

/** What API Gateway allows a socket: its whole life, its silence, and the size of a message. */
const LIFE_MILLISECONDS = 2 * 3600_000;
const IDLE_MILLISECONDS = 600_000;
const MESSAGE_BYTES_MAX = 128 * 1024;

/**
 * Whether it asks for the socket of a listener. Any other request that offers to go on in another protocol
 * (clients in Java offer HTTP/2 so) is answered as if it had not.
 */
export const asksForSocket = ({ headers, url = '/' }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && doorbellPath.test(requestTargetOf(url).path);

const doorbellPath = /^\/v2\/listeners\/([^/]+)\/doorbell\/?$/;

/** Beside the listener's own routes: the gateway serves both, under whatever name it is reached. */
export const embeddedDoorbell: Doorbell = {
  addressOf: (_, instanceId) => `doorbell?${new URLSearchParams({ instance_id: instanceId }).toString()}`,
};

/** The sockets of listeners at the embedded gateway, with what API Gateway does and limits. */
export function createEmbeddedSockets(onError: (error: unknown) => void): EmbeddedSockets {
  const open = new Map<string, WebSocket>();
  /** Requests that are not answered yet, or whose refusal is under way. */
  const asking = new Set<Duplex>();
  const server = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES_MAX });
  let handler: SocketHandler = async () => ({ statusCode: 503 });
  let isEnded = false;
  const hold = (connectionId: string, socket: WebSocket) => {
    open.set(connectionId, socket);
    const life = setTimeout(() => socket.close(), LIFE_MILLISECONDS);
    const idle = setTimeout(() => socket.close(), IDLE_MILLISECONDS);
    socket.on('message', () => idle.refresh());
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      clearTimeout(life);
      clearTimeout(idle);
      open.delete(connectionId);
      if (!isEnded) handler(eventOf('DISCONNECT', connectionId)).catch(onError);
    });
  };
  return {
    onEvent: (called) => {
      handler = called;
    },
    async upgrade(request, socket, head, trustProxy) {
      socket.on('error', () => socket.destroy());
      asking.add(socket);
      socket.once('close', () => asking.delete(socket));
      const connectionId = randomUUID();
      const sourceIp = clientAddressOf(request, trustProxy);
      const { statusCode } = await ask(handler, request, { connectionId, sourceIp }).catch(
        (error: unknown) => {
          onError(error);
          return { statusCode: 500 };
        },
      );
      if (isEnded || statusCode !== 200) return refuseUpgrade(socket, isEnded ? 503 : statusCode);
      server.handleUpgrade(request, socket, head, (made) => {
        asking.delete(socket);
        hold(connectionId, made);
      });
      // Whoever asked is gone, or spoke no WebSocket and was told so.
      if (!open.has(connectionId)) await handler(eventOf('DISCONNECT', connectionId));
    },
    send: (connectionId, text) =>
      new Promise((resolve) => {
        const socket = open.get(connectionId);
        if (socket === undefined) return resolve('gone');
        return socket.send(text, (error) => resolve(error ? 'gone' : 'sent'));
      }),
    close: async (connectionId) => open.get(connectionId)?.close(),
    end: () => {
      isEnded = true;
      for (const socket of open.values()) socket.terminate();
      for (const socket of asking) socket.destroy();
    },
  };
}

async function ask(
  handler: SocketHandler,
  request: IncomingMessage,
  { connectionId, sourceIp }: { connectionId: string; sourceIp: string },
): Promise<{ statusCode: number }> {
  const { path, rawQueryString } = requestTargetOf(request.url ?? '/');
  const [, listenerId] = doorbellPath.exec(path) ?? [];
  if (listenerId === undefined) return { statusCode: 404 };
  const queryStringParameters = {
    ...Object.fromEntries(new URLSearchParams(rawQueryString)),
    listener_id: listenerId,
  };
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values = []]) => [name, values.join(',')]),
  );
  return handler({ ...eventOf('CONNECT', connectionId, sourceIp), headers, queryStringParameters });
}

const eventOf = (eventType: 'CONNECT' | 'DISCONNECT', connectionId: string, sourceIp?: string) => ({
  requestContext: {
    eventType,
    connectionId,
    requestId: randomUUID(),
    ...(sourceIp !== undefined && { identity: { sourceIp } }),
  },
});

/** Answers a request to open a socket with a status instead, and waits for nothing more of who asked. */
export function refuseUpgrade(socket: Duplex, statusCode: number): void {
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  const reason = STATUS_CODES[statusCode] ?? '';
  socket.end(`HTTP/1.1 ${statusCode} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
