import { expect } from 'vitest';
import { LOGINS_OF_ADDRESS_MAX, TRIES_MAX } from '../../../lib/features/device-login/limits.ts';
import type { open } from './wired-world.ts';

/** The routes by which a program is let in, with every refusal of theirs. */
export async function expectDeviceLogins({
  ask,
  refused,
  wire,
  keyOf,
}: Pick<Awaited<ReturnType<typeof open>>, 'ask' | 'refused' | 'wire' | 'keyOf'>): Promise<void> {
  let begun = 0;
  const begin = async () => {
    begun += 1;
    const body = { client_name: 'slipway 0.2.0 on laptop' };
    const { device_code, user_code } = await wire.ask('createDeviceCode', { body });
    return { program: { body: { device_code } }, person: { body: { user_code } } };
  };
  const one = await begin();
  await wire.refuse('authorization_pending', {}, 'createDeviceToken', one.program);
  await wire.refuse('slow_down', { seconds: 10 }, 'createDeviceToken', one.program);
  await ask('findDeviceLogin', one.person);
  await ask('confirmDeviceLogin', one.person);
  const { access_token: key } = await wire.ask('createDeviceToken', one.program);
  await wire.refuse('expired_token', {}, 'createDeviceToken', one.program);
  expect(await ask('getMe', { key })).toMatchObject({ role: 'developer', is_session: false });
  const other = await begin();
  await refused('state_forbids', /lets no other program in/, 'findDeviceLogin', { ...other.person, key });
  await refused('state_forbids', /lets no other program in/, 'confirmDeviceLogin', { ...other.person, key });
  await ask('denyDeviceLogin', other.person);
  await wire.refuse('access_denied', {}, 'createDeviceToken', other.program);
  await ask('deleteDeviceToken', { key });
  await refused('unauthenticated', {}, 'getMe', { key });
  await refused('state_forbids', /no key of a login/, 'deleteDeviceToken');
  await expectTriesEnd({ refused, keyOf });
  while (begun < LOGINS_OF_ADDRESS_MAX) await begin();
  await wire.refuse('too_many_logins', {}, 'createDeviceCode', { body: { client_name: 'one more' } });
  expect(Number(wire.last?.headers.get('retry-after'))).toBeGreaterThan(0);
}

async function expectTriesEnd({
  refused,
  keyOf,
}: Pick<Awaited<ReturnType<typeof open>>, 'refused' | 'keyOf'>): Promise<void> {
  const guess = { body: { user_code: 'BBBB-BBBB' }, key: await keyOf('viewer') };
  const guesses = ['findDeviceLogin', 'confirmDeviceLogin', 'denyDeviceLogin'];
  for (let tries = 0; tries < TRIES_MAX; tries++)
    await refused('device_login_not_found', {}, guesses[tries % guesses.length] ?? '', guess);
  for (const operation of guesses) await refused('too_many_tries', { limit: TRIES_MAX }, operation, guess);
}
