import { expect, it } from 'vitest';
import {
  LOGIN_MILLISECONDS,
  LOGINS_MAX,
  LOGINS_OF_ADDRESS_MAX,
  TRIES_MAX,
} from '../../../lib/features/device-login/limits.ts';
import { countWithin } from '../../../lib/features/device-login/store.ts';
import { beginLogin, confirmLogin, denyLogin, findLogin } from '../../support/world/device-logins.ts';
import { anOrganization, makeKey, withKey } from '../../support/world/identity-requests.ts';
import { refusedWith as refusal } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const UNKNOWN = expect.stringMatching(/^404 No login waits with this code/);
const SPENT = expect.stringMatching(/^403 You have typed 5 codes/);
const FULL = expect.stringMatching(/^429 Too many logins/);

const aPerson = async (): Promise<World> => anOrganization(await aWorld());

const outcome = async (asking: Promise<unknown>): Promise<string> => {
  const [answer] = await Promise.allSettled([asking]);
  return answer.status === 'fulfilled' ? 'done' : refusal(asking);
};

it('of one address so many are begun in ten minutes, and others are not hindered', async () => {
  const person = await aPerson();
  const from = (address: string, times: number) =>
    Promise.all(Array.from({ length: times }, () => outcome(beginLogin(person, address))));
  const home = await from('2001:db8:1:2::1', LOGINS_OF_ADDRESS_MAX + 3);
  expect(home.filter((each) => each === 'done')).toHaveLength(LOGINS_OF_ADDRESS_MAX);
  expect(home.filter((each) => each !== 'done')).toEqual([FULL, FULL, FULL]);
  expect(await from('2001:db8:1:2::ffff', 1)).toEqual([FULL]);
  expect(await from('198.51.100.1', 1)).toEqual(['done']);
  person.advance(LOGIN_MILLISECONDS / 1000);
  expect(await from('2001:db8:1:2::1', 1)).toEqual(['done']);
});

it('in all so many are begun in ten minutes, from however many addresses', async () => {
  const person = await aPerson();
  const { table, clock } = person.deps;
  await beginLogin(person);
  const within = { limit: 1, now: clock.now(), milliseconds: LOGIN_MILLISECONDS };
  // The count of all is the same one: it is full for a lower limit, after one.
  expect(await countWithin(table, 'ALL', within)).toBe(false);
  expect(await countWithin(table, 'ALL', { ...within, limit: LOGINS_MAX })).toBe(true);
});

it('somebody who guesses has five tries in ten minutes, also at once and in several sessions', async () => {
  const person = await aPerson();
  const guesses = await Promise.all(
    Array.from({ length: 4 * TRIES_MAX }, () => outcome(findLogin(person, 'BBBB-BBBB'))),
  );
  expect(guesses.filter((each) => each.startsWith('404'))).toHaveLength(TRIES_MAX);
  expect(guesses.filter((each) => each.startsWith('403'))).toHaveLength(3 * TRIES_MAX);
  const { user_code } = await beginLogin(person);
  const again = await withKey(person, (await makeKey(person, { name: 'again', role: 'admin' })).key);
  for (const ask of [findLogin, confirmLogin, denyLogin])
    expect(await refusal(ask(again, user_code))).toEqual(SPENT);
  person.advance(LOGIN_MILLISECONDS / 1000);
  const later = await beginLogin(person);
  expect(await outcome(confirmLogin(person, later.user_code))).toBe('done');
});

it('a code that is right is no try, what is none counts, and nobody’s tries spend another’s code', async () => {
  const person = await aPerson();
  const { user_code } = await beginLogin(person);
  for (const wrong of ['', 'AEIO-UAEI', 'x'.repeat(128), 'BBBB-BBB'])
    expect(await refusal(findLogin(person, wrong))).toEqual(UNKNOWN);
  for (let times = 0; times < 2 * TRIES_MAX; times++) await findLogin(person, user_code);
  expect(await refusal(findLogin(person, 'BBBB-BBBB'))).toEqual(UNKNOWN);
  expect(await refusal(findLogin(person, user_code))).toEqual(SPENT);
  const other = await makeKey(person, { name: 'other', role: 'viewer', service_user: true });
  expect(await outcome(confirmLogin(await withKey(person, other.key), user_code))).toBe('done');
});

it.each(['\u001b[2Jslipway', 'line\nbreak', 'a\u202Eb', 'a\u200Bb', '', 'x'.repeat(101), '\ud800'])(
  'the name of a client is what can be seen: not %j',
  async (name) => {
    const person = await aPerson();
    await expect(beginLogin(person, '192.0.2.1', name)).rejects.toThrow();
  },
);
