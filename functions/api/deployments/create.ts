import { clock, keys, settings, table } from '../../../lib/container.ts';
import { checkBodyResourceSpec } from '../../../lib/domain/resource-spec.ts';
import { createDeployment } from '../../../lib/features/deployments/create.ts';
import { createDeployment as row } from '../../../lib/features/deployments/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createDeployment, { check: checkBodyResourceSpec });
export const handler = create(() => ({ table: table(), clock, keys: keys(), settings: settings() }));
