import { completeConsent } from '../../../lib/app/oauth/consent/complete.ts';
import { clock, keys, table } from '../../../lib/container.ts';
import { completeConsent as row } from '../../../lib/contract/routes/consent.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, completeConsent);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
