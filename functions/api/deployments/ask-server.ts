import { clock, table } from '../../../lib/container.ts';
import { askServer } from '../../../lib/features/deployments/ask-server.ts';
import { askServer as row } from '../../../lib/features/deployments/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, askServer);
// Servers run on machines that a function does not reach.
export const handler = create(() => ({ table: table(), clock, serverCaller: undefined }));
