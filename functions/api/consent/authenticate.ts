import { clock, keys, oauth, table } from '../../../lib/container.ts';
import { authenticate } from '../../../lib/features/consent/authenticate.ts';
import { authenticate as row } from '../../../lib/features/consent/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, authenticate);
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
