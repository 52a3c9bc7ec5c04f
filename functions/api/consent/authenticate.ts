import { authenticate } from '../../../lib/app/oauth/consent/authenticate.ts';
import { clock, keys, oauth, table } from '../../../lib/container.ts';
import { authenticate as row } from '../../../lib/contract/routes/consent.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, authenticate);
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
