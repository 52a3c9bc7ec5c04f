import { createConsoleSession } from '../../../lib/app/console/create-session.ts';
import { clock, table } from '../../../lib/container.ts';
import { createConsoleSession as row } from '../../../lib/contract/routes/console.ts';
import { exchangeEndpoint } from '../../../lib/http/endpoint.ts';

export const create = exchangeEndpoint(row, createConsoleSession);
export const handler = create(() => ({ table: table(), clock }));
