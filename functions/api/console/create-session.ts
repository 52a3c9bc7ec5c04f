import { clock, table } from '../../../lib/container.ts';
import { createConsoleSession } from '../../../lib/features/console/create-session.ts';
import { createConsoleSession as row } from '../../../lib/features/console/routes.ts';
import { exchangeEndpoint } from '../../../lib/http/endpoint.ts';

export const create = exchangeEndpoint(row, createConsoleSession);
export const handler = create(() => ({ table: table(), clock }));
