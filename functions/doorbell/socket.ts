import { clock, sockets, table } from '../../lib/container.ts';
import { forgetSocket, openSocket } from '../../lib/features/listener-protocol/sockets.ts';
import { socketFunction } from '../../lib/triggers/listener-socket.ts';

export const create = socketFunction(openSocket, forgetSocket);
export const handler = create(() => ({ table: table(), clock, sockets: sockets() }));
