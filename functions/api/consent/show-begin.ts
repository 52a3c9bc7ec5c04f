import { showBegin } from '../../../lib/app/oauth/consent/show-begin.ts';
import { clock, table } from '../../../lib/container.ts';
import { showBegin as row } from '../../../lib/contract/routes/consent.ts';
import { pageEndpoint } from '../../../lib/http/endpoint.ts';

export const create = pageEndpoint(row, showBegin);
export const handler = create(() => ({ table: table(), clock }));
