import { clock, table } from '../../../lib/container.ts';
import { deleteDeviceToken } from '../../../lib/features/device-login/delete-token.ts';
import { deleteDeviceToken as row } from '../../../lib/features/device-login/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteDeviceToken);
export const handler = create(() => ({ table: table(), clock }));
