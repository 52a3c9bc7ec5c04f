import { clock, table } from '../../../lib/container.ts';
import { deleteConsoleSession } from '../../../lib/features/console/delete-session.ts';
import { deleteConsoleSession as row } from '../../../lib/features/console/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteConsoleSession);
export const handler = create(() => ({ table: table(), clock }));
