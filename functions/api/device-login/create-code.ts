import { clock, table } from '../../../lib/container.ts';
import { createDeviceCode } from '../../../lib/features/device-login/create-code.ts';
import { createDeviceCode as row } from '../../../lib/features/device-login/routes.ts';
import { exchangeEndpoint } from '../../../lib/http/endpoint.ts';

export const create = exchangeEndpoint(row, createDeviceCode);
export const handler = create(() => ({ table: table(), clock }));
