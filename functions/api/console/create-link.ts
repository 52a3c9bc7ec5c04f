import { createConsoleLink } from '../../../lib/app/console/create-link.ts';
import { clock, table } from '../../../lib/container.ts';
import { createConsoleLink as row } from '../../../lib/contract/routes/console.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createConsoleLink);
export const handler = create(() => ({ table: table(), clock }));
