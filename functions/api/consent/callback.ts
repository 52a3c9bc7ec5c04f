import { callback } from '../../../lib/app/oauth/consent/callback.ts';
import { clock, keys, oauth, table } from '../../../lib/container.ts';
import { callback as row } from '../../../lib/contract/routes/consent.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, callback);
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
