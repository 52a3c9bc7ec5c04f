import { expect, it } from 'vitest';
import { authenticateCaller } from '../../../lib/core/identity/authenticate.ts';
import { issueApiKey } from '../../../lib/core/identity/issue-api-key.ts';
import { createConsoleLink, LINK_MILLISECONDS } from '../../../lib/features/console/create-link.ts';
import { createConsoleSession, SESSION_MILLISECONDS } from '../../../lib/features/console/create-session.ts';
import { deleteConsoleSession } from '../../../lib/features/console/delete-session.ts';
import { anOrganization, keys, makeKey, revoke, withKey } from '../../support/world/identity-requests.ts';
import { refusedWith as refusal } from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const OVER = expect.stringMatching(/^403 This link to the console is over/);
const unauthenticated = '401 Invalid or missing credentials';
const baseUrl = 'https://slipway.example';

async function linkOf({ deps, caller }: World): Promise<string> {
  const { url } = await createConsoleLink(deps, { baseUrl }, caller);
  const [page, code = ''] = url.split('#code=');
  expect(page).toBe(`${baseUrl}/console/`);
  return code;
}
const use = ({ deps }: World, code: string) =>
  createConsoleSession(deps, { body: { code }, requestId: 'a request' });

/** An administrator, and somebody with a key of a role, whose requests carry that key. */
async function aPerson(role = 'developer', more: object = {}) {
  const admin = await anOrganization(await aWorld());
  const made = await makeKey(admin, { name: role, role, ...more });
  return { admin, made, person: await withKey(admin, made.key) };
}

it('a link gives a key with the role, the user and the tenant of the key it was made with, for 12 hours', async () => {
  const { admin, person } = await aPerson();
  const begun = person.deps.clock.now();
  const { api_key, expires_at } = await use(person, await linkOf(person));
  const session = await withKey(admin, api_key);
  const { tenantId, organizationId, userId, role } = person.caller;
  expect(session.caller).toMatchObject({ tenantId, organizationId, userId, role });
  // What is done in it is done by who opened it.
  expect(session.caller.actor).toEqual({ kind: 'key', name: 'developer' });
  expect(Date.parse(expires_at) - begun).toBeGreaterThanOrEqual(SESSION_MILLISECONDS);
  person.advance(SESSION_MILLISECONDS / 1000 + 1);
  expect(await refusal(authenticateCaller(person.deps, { apiKey: api_key, tenantId: undefined }))).toBe(
    unauthenticated,
  );
});

it('a link works once, however many use it at the same time', async () => {
  const { person } = await aPerson();
  const code = await linkOf(person);
  const answers = await Promise.all(Array.from({ length: 8 }, () => refusalOrKey(person, code)));
  expect(answers.filter((answer) => answer.startsWith('slp_'))).toHaveLength(1);
  expect(answers.filter((answer) => !answer.startsWith('slp_'))).toEqual(Array(7).fill(OVER));
  expect(await refusal(use(person, code))).toEqual(OVER);
});

const refusalOrKey = async (person: World, code: string): Promise<string> => {
  const asked = use(person, code);
  const [answer] = await Promise.allSettled([asked]);
  return answer.status === 'fulfilled' ? answer.value.api_key : refusal(asked);
};

it('a link is over after five minutes, and with the key it was made with', async () => {
  const { admin, made, person } = await aPerson();
  const [late, orphan] = [await linkOf(person), await linkOf(person)];
  await revoke(admin, made.id);
  expect(await refusal(use(person, orphan))).toEqual(OVER);
  const other = await aPerson();
  const code = await linkOf(other.person);
  other.person.advance(LINK_MILLISECONDS / 1000);
  expect(await refusal(use(other.person, code))).toEqual(OVER);
  expect(await refusal(use(person, late))).toEqual(OVER);
  expect(await refusal(use(person, 'no code of ours'))).toEqual(OVER);
});

it('a session ends with the key that its link was made with, be it revoked or over', async () => {
  const { admin, made, person } = await aPerson();
  const { api_key } = await use(person, await linkOf(person));
  await withKey(admin, api_key);
  await revoke(admin, made.id);
  const asked = () => authenticateCaller(person.deps, { apiKey: api_key, tenantId: undefined });
  expect(await refusal(asked())).toBe(unauthenticated);

  const soon = new Date(admin.deps.clock.now() + 3_600_000).toISOString();
  const brief = await withKey(
    admin,
    (await makeKey(admin, { name: 'b', role: 'viewer', expires_at: soon })).key,
  );
  expect((await use(brief, await linkOf(brief))).expires_at).toBe(soon);
});

it('a session ends when its person signs out, and is in the list of keys until then', async () => {
  const { admin, person } = await aPerson();
  const { api_key } = await use(person, await linkOf(person));
  const session = await withKey(admin, api_key);
  const names = async () => (await keys(admin)).resources.map(({ name }) => name);
  expect(await names()).toContain('console session');
  await deleteConsoleSession(session.deps, {}, session.caller);
  expect(await names()).not.toContain('console session');
  const again = () => authenticateCaller(session.deps, { apiKey: api_key, tenantId: undefined });
  expect(await refusal(again())).toBe(unauthenticated);
  const ownKey = () => deleteConsoleSession(person.deps, {}, person.caller);
  expect(await refusal(ownKey())).toMatch(/^409 .*is no session of the console/);
});

it('a session makes no further one, and a key of the organization opens all of its tenants with one', async () => {
  const admin = await anOrganization(await aWorld());
  const { organizationId, tenantId, userId } = admin.caller;
  const wish = { organizationId, tenantId: undefined, userId, role: 'viewer', name: 'all' } as const;
  const key = await issueApiKey(admin.deps, wish);
  const caller = await authenticateCaller(admin.deps, { apiKey: key, tenantId });
  const asked = { ...admin, caller };
  const { api_key } = await use(asked, await linkOf(asked));
  expect(await refusal(authenticateCaller(admin.deps, { apiKey: api_key, tenantId: undefined }))).toMatch(
    /^403 .*requires workspace specification/,
  );
  const session = { ...admin, caller: await authenticateCaller(admin.deps, { apiKey: api_key, tenantId }) };
  expect(await refusal(linkOf(session))).toMatch(/^409 .*makes no other/);
});

it('neither a code nor a key of a session is stored', async () => {
  const { person } = await aPerson();
  const [used, unused] = [await linkOf(person), await linkOf(person)];
  const { api_key } = await use(person, used);
  const stored = JSON.stringify(await allItems(person.deps.table));
  for (const secret of [used, unused, api_key.slice(12, -4)]) expect(stored).not.toContain(secret);
});
