import { clock, table } from '../../../lib/container.ts';
import { createConsoleLink } from '../../../lib/features/console/create-link.ts';
import { createConsoleLink as row } from '../../../lib/features/console/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createConsoleLink);
export const handler = create(() => ({ table: table(), clock }));
