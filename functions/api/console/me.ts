import { clock, table } from '../../../lib/container.ts';
import { showMe } from '../../../lib/features/console/me.ts';
import { getMe as row } from '../../../lib/features/console/routes.ts';
import { credentialEndpoint } from '../../../lib/http/endpoint.ts';

export const create = credentialEndpoint(row, showMe);
export const handler = create(() => ({ table: table(), clock }));
