import { deleteConsoleSession } from '../../../lib/app/console/delete-session.ts';
import { clock, table } from '../../../lib/container.ts';
import { deleteConsoleSession as row } from '../../../lib/contract/routes/console.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteConsoleSession);
export const handler = create(() => ({ table: table(), clock }));
