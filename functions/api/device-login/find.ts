import { clock, settings, table } from '../../../lib/container.ts';
import { findDeviceLogin } from '../../../lib/features/device-login/find.ts';
import { findDeviceLogin as row } from '../../../lib/features/device-login/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, findDeviceLogin);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
