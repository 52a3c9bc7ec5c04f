import { clock, keys, oauth, table } from '../../../lib/container.ts';
import { callbackPage } from '../../../lib/features/consent/callback-page.ts';
import { callbackPage as row } from '../../../lib/features/consent/routes.ts';
import { pageEndpoint } from '../../../lib/http/endpoint.ts';

export const create = pageEndpoint(row, callbackPage);
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
