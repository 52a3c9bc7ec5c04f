import { confirmDeviceLogin } from '../../../lib/features/device-login/confirm.ts';
import { createDeviceCode } from '../../../lib/features/device-login/create-code.ts';
import { createDeviceToken } from '../../../lib/features/device-login/create-token.ts';
import { denyDeviceLogin } from '../../../lib/features/device-login/deny.ts';
import { findDeviceLogin } from '../../../lib/features/device-login/find.ts';
import * as rows from '../../../lib/features/device-login/routes.ts';
import type { World } from './world.ts';

/** Logins of programs, asked as clients do. */
export const ADDRESS = '203.0.113.7';
const requestId = 'a request';

export type Begun = Awaited<ReturnType<typeof createDeviceCode>>;

export const beginLogin = async (world: World, sourceAddress = ADDRESS, client_name = 'slipway on laptop') =>
  createDeviceCode(world.deps, {
    body: rows.createDeviceCode.body.parse({ client_name }),
    sourceAddress,
    baseUrl: 'https://slipway.example',
  });

export const fetchKey = (world: World, { device_code }: Pick<Begun, 'device_code'>) =>
  createDeviceToken(world.deps, { body: { device_code }, requestId });

export const findLogin = (world: World, user_code: string) =>
  findDeviceLogin(world.deps, { body: { user_code } }, world.caller);

export const confirmLogin = async (world: World, user_code: string, role?: string) =>
  confirmDeviceLogin(
    world.deps,
    { body: rows.confirmDeviceLogin.body.parse({ user_code, role }) },
    world.caller,
  );

export const denyLogin = (world: World, user_code: string) =>
  denyDeviceLogin(world.deps, { body: { user_code } }, world.caller);
