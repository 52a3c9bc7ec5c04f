import { clock, keys, table } from '../../../lib/container.ts';
import { completeSeen } from '../../../lib/features/listener-protocol/complete.ts';
import { completeTask as row } from '../../../lib/features/listener-protocol/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, completeSeen);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
