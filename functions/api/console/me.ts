import { showMe } from '../../../lib/app/console/me.ts';
import { clock, table } from '../../../lib/container.ts';
import { getMe as row } from '../../../lib/contract/routes/console.ts';
import { credentialEndpoint } from '../../../lib/http/endpoint.ts';

export const create = credentialEndpoint(row, showMe);
export const handler = create(() => ({ table: table(), clock }));
