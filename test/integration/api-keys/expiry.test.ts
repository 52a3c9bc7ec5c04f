import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../lib/core/caller.ts';
import { createConsoleLink } from '../../../lib/features/console/create-link.ts';
import { createConsoleSession } from '../../../lib/features/console/create-session.ts';
import { anOrganization, makeKey, withKey } from '../../support/world/identity-requests.ts';
import { refusal, register } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const DAY_SECONDS = 86_400;
const inDays = ({ deps }: World, days: number) =>
  new Date(deps.clock.now() + days * DAY_SECONDS * 1000).toISOString();

const wish = { name: 'k', role: 'viewer' };

/** An administrator with a key that ends after so many days; absent: never. */
async function anAdmin(days?: number): Promise<World & { endsAt: string | undefined }> {
  const first = await anOrganization(await aWorld());
  const endsAt = days === undefined ? undefined : inDays(first, days);
  const made = await makeKey(first, { name: 'admin', role: 'admin', expires_at: endsAt });
  return { ...(await withKey(first, made.key)), endsAt };
}

/** The same person in the console. */
async function inTheConsole(admin: World): Promise<World> {
  const { url } = await createConsoleLink(admin.deps, { baseUrl: 'https://slipway.example' }, admin.caller);
  const body = { code: url.split('#code=')[1] ?? '' };
  const { api_key } = await createConsoleSession(admin.deps, { body, requestId: 'a request' });
  return withKey(admin, api_key);
}

const withBearer = (admin: World): World => {
  const bearer: Partial<Caller> = { keyId: 'bearer', maker: { kind: 'bearer' } };
  return admin.as(bearer);
};

/** Demands a 422 for `asked` that names `latest` as the latest possible time. */
async function expectRefused(world: World, body: object, latest: string): Promise<void> {
  const { status, detail } = await refusal(makeKey(world, { ...wish, ...body }));
  const problem = {
    loc: ['body', 'expires_at'],
    type: 'less_than_equal',
    msg: expect.stringContaining(latest),
    ctx: { le: latest },
  };
  expect([status, detail]).toEqual([422, [expect.objectContaining(problem)]]);
}

describe('a key made with a key that expires', () => {
  it('ends with it when nothing else is asked for, and no later', async () => {
    const admin = await anAdmin(10);
    const latest = admin.endsAt ?? '';
    expect((await makeKey(admin, wish)).expires_at).toBe(latest);
    expect((await makeKey(admin, { ...wish, expires_at: latest })).expires_at).toBe(latest);
    const before = inDays(admin, 9);
    expect((await makeKey(admin, { ...wish, expires_at: before })).expires_at).toBe(before);
    await expectRefused(admin, { expires_at: inDays(admin, 11) }, latest);
    const next = await withKey(admin, (await makeKey(admin, { ...wish, role: 'admin' })).key);
    expect((await makeKey(next, wish)).expires_at).toBe(latest);
    await expectRefused(next, { expires_at: inDays(admin, 11) }, latest);
  });

  it('ends with it if it is a listener’s too', async () => {
    const admin = await anAdmin(10);
    const listener = { role: 'listener', listener_id: (await register(admin, 'machine')).id };
    expect((await makeKey(admin, { ...wish, ...listener })).expires_at).toBe(admin.endsAt);
    await expectRefused(admin, { ...listener, expires_at: inDays(admin, 11) }, admin.endsAt ?? '');
  });
});

it('a key made with one without end may be without end', async () => {
  const admin = await anAdmin();
  expect((await makeKey(admin, wish)).expires_at).toBeNull();
  const late = inDays(admin, 1000);
  expect((await makeKey(admin, { ...wish, expires_at: late })).expires_at).toBe(late);
});

describe.each([
  ['a session of the console', inTheConsole],
  ['a bearer token', async (admin: World) => withBearer(admin)],
])('a key made with %s', (_, as) => {
  it('ends within the days of the setting', async () => {
    const admin = await anAdmin();
    const person = await as(admin);
    const earliest = inDays(admin, 90);
    const made = await makeKey(person, wish);
    const ends = [earliest, made.expires_at ?? '', inDays(admin, 90)];
    expect(ends.toSorted()).toEqual(ends);
    expect((await makeKey(person, { ...wish, expires_at: inDays(admin, 89) })).expires_at).not.toBeNull();
    const { status, detail } = await refusal(makeKey(person, { ...wish, expires_at: inDays(admin, 91) }));
    expect([status, JSON.stringify(detail)]).toEqual([422, expect.stringContaining('within 90 days')]);
    admin.deps.settings.keyDays = 7;
    const short = Date.parse((await makeKey(person, wish)).expires_at ?? '');
    expect(short).toBeLessThanOrEqual(Date.parse(inDays(admin, 7)));
  });

  it('may be without end where a listener lives by it', async () => {
    const admin = await anAdmin();
    const listener = { role: 'listener', listener_id: (await register(admin, 'machine')).id };
    const person = await as(admin);
    expect((await makeKey(person, { ...wish, ...listener })).expires_at).toBeNull();
  });
});

it('a key made in a session ends no later than the key that the session was opened with', async () => {
  const admin = await anAdmin(10);
  const session = await inTheConsole(admin);
  const latest = admin.endsAt ?? '';
  expect((await makeKey(session, wish)).expires_at).toBe(latest);
  await expectRefused(session, { expires_at: inDays(admin, 11) }, latest);
  const listener = { role: 'listener', listener_id: (await register(admin, 'machine')).id };
  expect((await makeKey(session, { ...wish, ...listener })).expires_at).toBe(latest);
  await expectRefused(session, { ...listener, expires_at: inDays(admin, 11) }, latest);
});
