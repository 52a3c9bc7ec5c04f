import { clock, table } from '../../../lib/container.ts';
import { denyDeviceLogin } from '../../../lib/features/device-login/deny.ts';
import { denyDeviceLogin as row } from '../../../lib/features/device-login/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, denyDeviceLogin);
export const handler = create(() => ({ table: table(), clock }));
