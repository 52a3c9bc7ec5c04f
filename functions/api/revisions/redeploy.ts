import { clock, keys, settings, table } from '../../../lib/container.ts';
import { redeployRevision } from '../../../lib/features/deployments/redeploy.ts';
import { redeployRevision as row } from '../../../lib/features/revisions/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, redeployRevision);
export const handler = create(() => ({ table: table(), clock, settings: settings(), keys: keys() }));
