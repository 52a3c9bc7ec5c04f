import { clock, table } from '../../../lib/container.ts';
import { showBegin as row } from '../../../lib/features/consent/routes.ts';
import { showBegin } from '../../../lib/features/consent/show-begin.ts';
import { pageEndpoint } from '../../../lib/http/endpoint.ts';

export const create = pageEndpoint(row, showBegin);
export const handler = create(() => ({ table: table(), clock }));
