import { clock, table } from '../../../lib/container.ts';
import { createDeviceToken } from '../../../lib/features/device-login/create-token.ts';
import { createDeviceToken as row } from '../../../lib/features/device-login/routes.ts';
import { exchangeEndpoint } from '../../../lib/http/endpoint.ts';

export const create = exchangeEndpoint(row, createDeviceToken);
export const handler = create(() => ({ table: table(), clock }));
