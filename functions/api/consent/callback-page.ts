import { callbackPage } from '../../../lib/app/oauth/consent/callback-page.ts';
import { clock, keys, oauth, table } from '../../../lib/container.ts';
import { callbackPage as row } from '../../../lib/contract/routes/consent.ts';
import { pageEndpoint } from '../../../lib/http/endpoint.ts';

export const create = pageEndpoint(row, callbackPage);
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
