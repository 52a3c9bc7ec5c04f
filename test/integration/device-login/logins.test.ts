import { describe, expect, it } from 'vitest';
import { authenticateCaller } from '../../../lib/core/identity/authenticate.ts';
import { createConsoleLink } from '../../../lib/features/console/create-link.ts';
import { createConsoleSession } from '../../../lib/features/console/create-session.ts';
import { LOGIN_MILLISECONDS } from '../../../lib/features/device-login/limits.ts';
import { USER_CODE_ALPHABET } from '../../../lib/features/device-login/shape.ts';
import {
  ADDRESS,
  type Begun,
  beginLogin,
  confirmLogin,
  denyLogin,
  fetchKey,
  findLogin,
} from '../../support/world/device-logins.ts';
import {
  anOrganization,
  giveRole,
  keys,
  makeKey,
  members,
  revoke,
  takeRole,
  withKey,
} from '../../support/world/identity-requests.ts';
import { refusedWith as refusal } from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const OVER = expect.stringMatching(/^400 This login is over/);
const PENDING = expect.stringMatching(
  /^400 Nobody has confirmed this login yet; ask again after the interval/,
);
const DENIED = expect.stringMatching(/^400 This login was denied/);
const UNKNOWN = expect.stringMatching(/^404 No login waits with this code/);
const unauthenticated = '401 Invalid or missing credentials';
const DAY_SECONDS = 86_400;
/** An administrator, and somebody with a key of a role, whose requests carry that key. */
async function aPerson(role = 'developer', more: object = {}) {
  const admin = await anOrganization(await aWorld());
  const made = await makeKey(admin, { name: role, role, ...more });
  return { admin, made, person: await withKey(admin, made.key) };
}

/** The same installation, asked by a member without a key. */
async function aMember(admin: World, role = 'developer', userId = 'a person'): Promise<World> {
  await giveRole(admin, userId, role);
  return admin.as({ userId, keyId: 'bearer', role: role as 'developer', maker: { kind: 'bearer' } });
}

/** The member is none any more. */
async function leave(admin: World): Promise<void> {
  const all = (await members(admin)).resources.filter(({ user_id }) => user_id === 'a person');
  for (const { id } of all) await takeRole(admin, id);
}

async function inTheConsole(world: World): Promise<World> {
  const { url } = await createConsoleLink(world.deps, { baseUrl: 'https://s.example' }, world.caller);
  const body = { code: url.split('#code=')[1] ?? '' };
  return withKey(world, (await createConsoleSession(world.deps, { body, requestId: 'r' })).api_key);
}

async function letIn(world: World, role?: string): Promise<string> {
  const begun = await beginLogin(world);
  await confirmLogin(world, begun.user_code, role);
  return (await fetchKey(world, begun)).access_token;
}
const asked = ({ deps }: World, apiKey: string) => authenticateCaller(deps, { apiKey, tenantId: undefined });

const keyOrRefusal = async (world: World, begun: Begun): Promise<string> => {
  const asking = fetchKey(world, begun);
  const [answer] = await Promise.allSettled([asking]);
  return answer.status === 'fulfilled' ? answer.value.access_token : refusal(asking);
};

describe('a login', () => {
  it('gives a key with the person, the tenant and the role of who confirms it', async () => {
    const { person } = await aPerson();
    const begun = await beginLogin(person);
    expect(begun).toMatchObject({ expires_in: 600, interval: 5 });
    expect(begun.user_code).toMatch(new RegExp(`^[${USER_CODE_ALPHABET}]{4}-[${USER_CODE_ALPHABET}]{4}$`));
    expect(begun.verification_uri).not.toContain(begun.user_code);
    expect(await refusal(fetchKey(person, begun))).toEqual(PENDING);
    const { tenantId, userId, organizationId } = person.caller;
    expect(await findLogin(person, begun.user_code.replace('-', ' ').toLowerCase())).toMatchObject({
      client_name: 'slipway on laptop',
      source_address: ADDRESS,
      tenant_id: tenantId,
      roles: ['viewer', 'developer'],
      role: 'developer',
    });
    const confirmed = await confirmLogin(person, begun.user_code);
    expect(confirmed).toMatchObject({ role: 'developer', tenant_id: tenantId });
    const { access_token, expires_at } = await fetchKey(person, begun);
    expect(expires_at).toBe(confirmed.key_expires_at);
    const program = await withKey(person, access_token);
    expect(program.caller).toMatchObject({ tenantId, userId, organizationId, role: 'developer' });
  });

  it('gives its key once, however many ask at the same time', async () => {
    const { person, admin } = await aPerson();
    const begun = await beginLogin(person);
    await confirmLogin(person, begun.user_code);
    const answers = await Promise.all(Array.from({ length: 8 }, () => keyOrRefusal(person, begun)));
    expect(answers.filter((answer) => answer.startsWith('slp_'))).toHaveLength(1);
    expect(answers.filter((answer) => !answer.startsWith('slp_'))).toEqual(Array(7).fill(OVER));
    expect(await refusal(fetchKey(person, begun))).toEqual(OVER);
    const made = (await keys(admin)).resources.filter(({ name }) => name === 'login of slipway on laptop');
    expect(made).toHaveLength(1);
  });

  it('makes no key before it is fetched', async () => {
    const { person, admin } = await aPerson();
    const before = (await keys(admin)).resources.length;
    const { user_code } = await beginLogin(person);
    await confirmLogin(person, user_code);
    expect((await keys(admin)).resources).toHaveLength(before);
  });

  it('is over after ten minutes, for the program and for the person, also where it was confirmed', async () => {
    const { person } = await aPerson();
    const [waiting, confirmed] = [await beginLogin(person), await beginLogin(person)];
    await confirmLogin(person, confirmed.user_code);
    person.advance(LOGIN_MILLISECONDS / 1000);
    for (const each of [waiting, confirmed]) {
      expect(await refusal(fetchKey(person, each))).toEqual(OVER);
      expect(await refusal(confirmLogin(person, each.user_code))).toEqual(UNKNOWN);
    }
    expect(await refusal(fetchKey(person, { device_code: 'none of ours' }))).toEqual(OVER);
  });

  it('is decided once: the same again changes nothing, and nobody else decides otherwise', async () => {
    const { person, admin } = await aPerson();
    const [one, two] = [await beginLogin(person), await beginLogin(person)];
    const first = await confirmLogin(person, one.user_code);
    expect(await confirmLogin(person, one.user_code)).toEqual(first);
    expect(await refusal(confirmLogin(person, one.user_code, 'viewer'))).toEqual(UNKNOWN);
    expect(await refusal(confirmLogin(admin, one.user_code))).toEqual(UNKNOWN);
    expect(await refusal(denyLogin(admin, one.user_code))).toEqual(UNKNOWN);
    expect(await refusal(findLogin(admin, one.user_code))).toEqual(UNKNOWN);
    await denyLogin(admin, two.user_code);
    await denyLogin(person, two.user_code);
    expect(await refusal(confirmLogin(person, two.user_code))).toEqual(UNKNOWN);
    expect(await refusal(fetchKey(person, two))).toEqual(DENIED);
  });

  it('of two who confirm at the same moment is given by one', async () => {
    const { person, admin } = await aPerson();
    const begun = await beginLogin(person);
    const both = await Promise.allSettled([
      confirmLogin(person, begun.user_code),
      confirmLogin(admin, begun.user_code),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const winner = both[0].status === 'fulfilled' ? person : admin;
    const program = await withKey(person, (await fetchKey(person, begun)).access_token);
    expect(program.caller.userId).toBe(winner.caller.userId);
  });

  it('is told to slow down where it asks too soon, and to stay slower', async () => {
    const { person } = await aPerson();
    const begun = await beginLogin(person);
    expect(await refusal(fetchKey(person, begun))).toEqual(PENDING);
    expect(await refusal(fetchKey(person, begun))).toMatch(/ask again after 10 seconds/);
    person.advance(5);
    expect(await refusal(fetchKey(person, begun))).toMatch(/ask again after 15 seconds/);
    person.advance(15);
    expect(await refusal(fetchKey(person, begun))).toEqual(PENDING);
  });

  it('leaves neither its codes nor its key in the table', async () => {
    const { person } = await aPerson();
    const [used, open] = [await beginLogin(person), await beginLogin(person)];
    await confirmLogin(person, used.user_code);
    const { access_token } = await fetchKey(person, used);
    const stored = JSON.stringify(await allItems(person.deps.table));
    const secrets = [used, open].flatMap(({ user_code, device_code }) => [
      user_code,
      user_code.replace('-', ''),
      device_code,
    ]);
    for (const secret of [...secrets, access_token.slice(12, -4)]) expect(stored).not.toContain(secret);
  });
});

describe('what may be given', () => {
  it('is no role above the own one', async () => {
    const { person } = await aPerson('viewer');
    const begun = await beginLogin(person);
    expect(await findLogin(person, begun.user_code)).toMatchObject({ roles: ['viewer'], role: 'viewer' });
    for (const role of ['developer', 'admin', 'organization_admin'])
      expect(await refusal(confirmLogin(person, begun.user_code, role))).toMatch(/^403 .*lacks permission/);
    await expect(confirmLogin(person, begun.user_code, 'listener')).rejects.toThrow();
    expect((await withKey(person, await letIn(person))).caller.role).toBe('viewer');
  });

  it('is the role of a developer to who may more, unless they choose', async () => {
    const { admin } = await aPerson();
    expect((await withKey(admin, await letIn(admin))).caller.role).toBe('developer');
    expect((await withKey(admin, await letIn(admin, 'admin'))).caller.role).toBe('admin');
  });

  it('is 90 days at most, and no more than what the credential has left', async () => {
    const { admin } = await aPerson();
    admin.deps.settings.keyDays = 1000;
    const end = async (world: World) =>
      Date.parse((await findLogin(world, (await beginLogin(world)).user_code)).key_expires_at);
    const inDays = (days: number) => admin.deps.clock.now() + days * DAY_SECONDS * 1000;
    expect(await end(admin)).toBeLessThanOrEqual(inDays(90));
    admin.deps.settings.keyDays = 7;
    expect(await end(admin)).toBeLessThanOrEqual(inDays(7));
    const soon = new Date(inDays(2)).toISOString();
    const brief = await withKey(
      admin,
      (await makeKey(admin, { name: 'b', role: 'viewer', expires_at: soon })).key,
    );
    expect(await end(brief)).toBe(Date.parse(soon));
    expect(await end(await inTheConsole(brief))).toBe(Date.parse(soon));
  });
});

describe('a key of a login', () => {
  it.each([
    ['with that key', async (person: World) => person],
    ['in a session that was opened with it', inTheConsole],
  ])('ends with the key that it was confirmed with: %s', async (_, as) => {
    const { person, admin, made } = await aPerson();
    const key = await letIn(await as(person));
    await asked(person, key);
    const confirmed = await beginLogin(person);
    await confirmLogin(await as(person), confirmed.user_code);
    await revoke(admin, made.id);
    expect(await refusal(asked(person, key))).toBe(unauthenticated);
    expect(await refusal(fetchKey(person, confirmed))).toEqual(DENIED);
  });

  it('outlives the session that it was confirmed in', async () => {
    const { person } = await aPerson();
    const key = await letIn(await inTheConsole(person));
    person.advance(2 * DAY_SECONDS);
    await asked(person, key);
    person.advance(90 * DAY_SECONDS);
    expect(await refusal(asked(person, key))).toBe(unauthenticated);
  });

  it('ends with the membership of who confirmed it, and with a role below its own', async () => {
    const { admin } = await aPerson();
    const member = await aMember(admin);
    const key = await letIn(member);
    const confirmed = await beginLogin(member);
    await confirmLogin(member, confirmed.user_code);
    expect((await asked(admin, key)).userId).toBe('a person');
    await giveRole(admin, 'a person', 'viewer');
    expect(await refusal(asked(admin, key))).toBe(unauthenticated);
    expect(await refusal(fetchKey(admin, confirmed))).toEqual(DENIED);
    await giveRole(admin, 'a person', 'admin');
    expect((await asked(admin, key)).role).toBe('developer');
    await leave(admin);
    expect(await refusal(asked(admin, key))).toBe(unauthenticated);
    expect(await refusal(fetchKey(admin, confirmed))).toEqual(DENIED);
  });

  it('opens a session of the console, which ends with what the key ends with', async () => {
    const { admin } = await aPerson();
    const program = await withKey(admin, await letIn(await aMember(admin)));
    const session = await inTheConsole(program);
    expect(session.caller).toMatchObject({ userId: 'a person', role: 'developer' });
    await leave(admin);
    const { url } = await createConsoleLink(program.deps, { baseUrl: 'https://s.example' }, program.caller);
    const body = { code: url.split('#code=')[1] ?? '' };
    const { api_key } = await createConsoleSession(program.deps, { body, requestId: 'r' });
    expect(await refusal(asked(admin, api_key))).toBe(unauthenticated);
  });

  it('lets no other program in, and neither does a session opened with it', async () => {
    const { admin } = await aPerson();
    const program = await withKey(admin, await letIn(admin, 'admin'));
    const begun = await beginLogin(admin);
    for (const one of [program, await inTheConsole(program)]) {
      expect(await refusal(findLogin(one, begun.user_code))).toMatch(/^409 .*lets no other program in/);
      expect(await refusal(confirmLogin(one, begun.user_code))).toMatch(/^409 .*lets no other program in/);
    }
    const made = await makeKey(program, { name: 'of the program', role: 'viewer' });
    expect(Date.parse(made.expires_at ?? '')).toBeLessThanOrEqual(
      admin.deps.clock.now() + 90 * DAY_SECONDS * 1000,
    );
  });

  it('is of the tenant of who confirms alone, also where they have a key of the organization', async () => {
    const { admin } = await aPerson();
    const wide = await makeKey(admin, { name: 'all', role: 'developer', scope: 'organization' });
    const person = await withKey(admin, wide.key, admin.caller.tenantId);
    const key = await letIn(person);
    expect((await asked(admin, key)).tenantId).toBe(admin.caller.tenantId);
    const other = authenticateCaller(admin.deps, {
      apiKey: key,
      tenantId: '01890000-0000-7000-8000-00000000abcd',
    });
    expect(await refusal(other)).toMatch(/^403 API key has no access to tenant/);
  });
});
