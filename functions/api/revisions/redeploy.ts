import { redeployRevision } from '../../../lib/app/revisions/redeploy.ts';
import { clock, keys, settings, table } from '../../../lib/container.ts';
import { redeployRevision as row } from '../../../lib/contract/routes/revisions.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, redeployRevision);
export const handler = create(() => ({ table: table(), clock, settings: settings(), keys: keys() }));
