import { clock, keys, table } from '../../../lib/container.ts';
import { completeConsent } from '../../../lib/features/consent/complete.ts';
import { completeConsent as row } from '../../../lib/features/consent/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, completeConsent);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
