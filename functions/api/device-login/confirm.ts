import { clock, settings, table } from '../../../lib/container.ts';
import { confirmDeviceLogin } from '../../../lib/features/device-login/confirm.ts';
import { confirmDeviceLogin as row } from '../../../lib/features/device-login/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, confirmDeviceLogin);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
