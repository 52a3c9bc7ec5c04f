import { begin } from '../../../lib/app/oauth/consent/begin.ts';
import { clock, keys, oauth, table } from '../../../lib/container.ts';
import { begin as row } from '../../../lib/contract/routes/consent.ts';
import { pageEndpoint } from '../../../lib/http/endpoint.ts';

export const create = pageEndpoint(row, begin);
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
