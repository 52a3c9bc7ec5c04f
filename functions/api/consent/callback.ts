import { clock, keys, oauth, table } from '../../../lib/container.ts';
import { callback } from '../../../lib/features/consent/callback.ts';
import { callback as row } from '../../../lib/features/consent/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, callback);
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
