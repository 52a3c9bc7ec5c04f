import { clock, keys, oauth, table } from '../../../lib/container.ts';
import { begin } from '../../../lib/features/consent/begin.ts';
import { begin as row } from '../../../lib/features/consent/routes.ts';
import { pageEndpoint } from '../../../lib/http/endpoint.ts';

export const create = pageEndpoint(row, begin);
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
