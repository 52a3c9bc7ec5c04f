import { createDeployment } from '../../../lib/app/deployments/create.ts';
import { clock, keys, settings, table } from '../../../lib/container.ts';
import { createDeployment as row } from '../../../lib/contract/routes/deployments.ts';
import { checkBodyResourceSpec } from '../../../lib/domain/resource-spec.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createDeployment, { check: checkBodyResourceSpec });
export const handler = create(() => ({ table: table(), clock, keys: keys(), settings: settings() }));
