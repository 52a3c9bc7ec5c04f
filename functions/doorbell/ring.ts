import { clock, sockets, table } from '../../lib/container.ts';
import { ring } from '../../lib/features/listener-protocol/sockets.ts';
import { ringFunction } from '../../lib/triggers/listener-socket.ts';

export const create = ringFunction(ring);
export const handler = create(() => ({ table: table(), clock, sockets: sockets() }));
