import { clock, keys, table } from '../../../lib/container.ts';
import { waitForConsent as row } from '../../../lib/features/consent/routes.ts';
import { waitForConsent } from '../../../lib/features/consent/wait.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, waitForConsent);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
