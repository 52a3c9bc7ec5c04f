import { waitForConsent } from '../../../lib/app/oauth/consent/wait.ts';
import { clock, keys, table } from '../../../lib/container.ts';
import { waitForConsent as row } from '../../../lib/contract/routes/consent.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, waitForConsent);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
