import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { once } from '../../contract/once.ts';
import type { Doorbell, Sockets } from '../doorbell.ts';

/** `url`: of the stage of the WebSocket API. */
export const createDoorbell = (url: string): Doorbell => ({
  addressOf: (listenerId, instanceId) => {
    const asked = new URLSearchParams({ listener_id: listenerId, instance_id: instanceId });
    return `${url}?${asked.toString()}`;
  },
});

/** The sockets of API Gateway. `url`: where they are opened; they are managed at the same address. */
export function createGatewaySockets(url: string | undefined): Sockets {
  const client = once(
    () => new ApiGatewayManagementApiClient({ endpoint: (url ?? '').replace(/^ws/, 'http') }),
  );
  const orGone = async (call: Promise<unknown>): Promise<'sent' | 'gone'> => {
    try {
      await call;
      return 'sent';
    } catch (error) {
      if (error instanceof GoneException) return 'gone';
      throw error;
    }
  };
  return {
    send: (connectionId, text) =>
      orGone(client().send(new PostToConnectionCommand({ ConnectionId: connectionId, Data: text }))),
    close: async (connectionId) => {
      await orGone(client().send(new DeleteConnectionCommand({ ConnectionId: connectionId })));
    },
  };
}
