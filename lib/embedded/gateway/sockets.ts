import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Doorbell, Sockets } from '../../adapters/doorbell.ts';
import { requestTargetOf } from './event.ts';

/** Called as API Gateway calls the function of a WebSocket API. */
export type SocketHandler = (event: unknown) => Promise<{ statusCode: number }>;

export type EmbeddedSockets = Sockets & {
  /** Names what is called when a socket is to be opened, and after it has closed. */
  onEvent(handler: SocketHandler): void;
  /** Answers a request to open a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Ends all sockets, and opens no more. */
  end(): void;
};

/** What API Gateway allows a socket: its whole life, its silence, and the size of a message. */
const LIFE_MILLISECONDS = 2 * 3600_000;
const IDLE_MILLISECONDS = 600_000;
const MESSAGE_BYTES_MAX = 128 * 1024;

const doorbellPath = /^\/v2\/listeners\/([^/]+)\/doorbell\/?$/;

/** Beside the listener's own routes: the gateway serves both, under whatever name it is reached. */
export const embeddedDoorbell: Doorbell = {
  addressOf: (_, instanceId) => `doorbell?${new URLSearchParams({ instance_id: instanceId }).toString()}`,
};

/** The sockets of listeners at the embedded gateway, with what API Gateway does and limits. */
export function createEmbeddedSockets(onError: (error: unknown) => void): EmbeddedSockets {
  const open = new Map<string, WebSocket>();
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
    async upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      const connectionId = randomUUID();
      const { statusCode } = await ask(handler, request, connectionId).catch((error: unknown) => {
        onError(error);
        return { statusCode: 500 };
      });
      if (isEnded || statusCode !== 200) return refuseUpgrade(socket, isEnded ? 503 : statusCode);
      // It also refuses what is no request for a socket.
      return server.handleUpgrade(request, socket, head, (made) => hold(connectionId, made));
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
    },
  };
}

async function ask(
  handler: SocketHandler,
  request: IncomingMessage,
  connectionId: string,
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
  const sourceIp = request.socket.remoteAddress ?? '127.0.0.1';
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

/** Answers a request to open a socket with a status instead. */
export function refuseUpgrade(socket: Duplex, statusCode: number): void {
  const reason = STATUS_CODES[statusCode] ?? '';
  socket.end(`HTTP/1.1 ${statusCode} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
