import type { Browser, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { MemberRole } from '../../lib/contract/roles.ts';
import { type Installed, installed } from '../support/console/installed.ts';
import { expectNoBarrier, heldBy } from '../support/console/look.ts';
import { aLink, aPerson, choose, chooseTenant, keyIn } from '../support/console/person.ts';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { api, expectApi, type Program } from '../support/programs/program.ts';
import { type At, slipway } from '../support/programs/user-cli.ts';
import { until } from '../support/until.ts';

/** A program is let in, or turned away, on the page that it sends people to. */
let program: Program;
let browser: Browser;
let at: Installed['at'];
let signedIn: Installed['signedIn'];

installed(
  async (here) => {
    ({ program, browser, at, signedIn } = here);
    await here.unused('agent');
  },
  { SLIPWAY_MORE_TENANTS: 'true' },
);

const NAME = 'slipway 0.2.0 on alice-laptop';
type Begun = { device_code: string; user_code: string; verification_uri: string };

/** What a terminal does first. */
const begin = (clientName = NAME) =>
  expectApi<Begun>(program, 'POST', '/v2/device/code', { client_name: clientName }, 200);

/** What it does then: the key, or why there is none. */
async function fetched({ device_code }: Begun) {
  const { status, body } = await api(program, 'POST', '/v2/device/token', { device_code });
  return { status, ...(body as { access_token?: string; role?: string; code?: string }) }; // as the route answers
}

/** Somebody who has a user of their own, so that their wrong codes are nobody else's. */
async function keyOf(role: MemberRole): Promise<string> {
  const body = { name: `of a ${role}`, role, service_user: true };
  return (await expectApi<{ key: string }>(program, 'POST', '/v2/api-keys', body, 201)).key;
}

const codeField = (page: Page) => page.getByLabel('Code');
const title = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true });
/** Whoever reads by ear is told that the page has turned. */
const isHeard = (page: Page, name: string) =>
  page.locator('h2:focus').getByText(name, { exact: true }).waitFor();
const isFieldFocused = (page: Page) => page.locator('.device-code:focus').waitFor();

async function type(page: Page, code: string): Promise<void> {
  await codeField(page).fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Signs in, and goes to the page as the terminal says it. */
async function personAtPage(key?: string) {
  const person = await signedIn(key);
  await person.page.goto(at('device'));
  await codeField(person.page).waitFor();
  return person;
}

it('who is not signed in signs in first, comes back, and lets the program in as a developer in their name', async () => {
  const begun = await begin();
  expect(begun.verification_uri).toBe(at('device'));
  const { page, context, seen } = await aPerson(browser);
  // Nothing fills the code in: an address comes from anywhere.
  await page.goto(`${begun.verification_uri}?user_code=${begun.user_code}&code=${begun.user_code}`);
  await page.getByLabel('API key').waitFor();
  const beside = await context.newPage();
  await beside.goto(await aLink(program));
  await codeField(page).waitFor();
  expect(await codeField(page).inputValue()).toBe('');
  await page.goto(begun.verification_uri);
  await codeField(page).waitFor();
  // As it is typed by hand.
  await type(page, ` ${begun.user_code.toLowerCase().replace('-', ' ')}`);
  await title(page, 'Let this program in?').waitFor();
  await isHeard(page, 'Let this program in?');
  const me = (await api(program, 'GET', '/v2/me')).body as { user_id: string; tenants: { name: string }[] };
  const facts = (await page.locator('.facts').textContent()) ?? '';
  for (const shown of [NAME, 'not verified', me.user_id, me.tenants[0]?.name ?? '?'])
    expect(facts).toContain(shown);
  // However long the page took.
  expect(facts).toMatch(/just now|seconds? ago|minutes? ago/);
  await page.getByRole('button', { name: /^Role Developer/ }).waitFor();
  await page.getByRole('button', { name: 'Approve as Developer' }).click();
  await title(page, 'Go back to your terminal').waitFor();
  await isHeard(page, 'Go back to your terminal');

  const given = await fetched(begun);
  expect(given).toMatchObject({ status: 200, role: 'developer' });
  const asProgram = { ...program, apiKey: given.access_token ?? '' };
  expect((await api(asProgram, 'GET', '/v2/me')).body).toMatchObject({
    user_id: me.user_id,
    role: 'developer',
    is_session: false,
  });
  const held = await heldBy(page);
  for (const secret of [begun.user_code, begun.device_code, asProgram.apiKey, await keyIn(page)])
    expect(held).not.toContain(secret);
  const typed = seen.addresses.filter((address) => !address.includes('?user_code='));
  expect(typed.join('\n')).not.toContain(begun.user_code);
  expect([seen.complaints, seen.cookies]).toEqual([[], []]);
});

it('slipway login opens the page, waits for the code to be confirmed there, and is let in', async () => {
  const { page, seen } = await signedIn(await keyOf('admin'));
  const home = await newFolder();
  const written: string[] = [];
  const terminal: At = { terminal: true, home, cwd: home, fetch, onWrite: (text) => void written.push(text) };
  const login = slipway({ ...terminal, openBrowser: async (address) => void (await page.goto(address)) }, [
    'login',
    program.baseUrl,
    '--as',
    'here',
  ]);
  const code = await until(() => /[B-Z]{4}-[B-Z]{4}/.exec(written.join(''))?.[0], { what: 'a code' });
  await codeField(page).waitFor();
  expect(page.url()).toBe(at('device'));
  await type(page, code);
  await page
    .locator('.claimed')
    .getByText(/^“slipway \S+ on /)
    .waitFor();
  await page.getByRole('button', { name: 'Approve as Developer' }).click();
  await title(page, 'Go back to your terminal').waitFor();
  expect(await login).toMatchObject({ exit: 0, stdout: expect.stringContaining('developer') });
  const me = await slipway(terminal, ['whoami', '--json']);
  expect(JSON.parse(me.stdout)).toMatchObject({ role: 'developer' });
  expect(await slipway(terminal, ['logout'])).toMatchObject({ exit: 0 });
  await removeFolder(home);
  expect(seen.complaints).toEqual([]);
});

it('who pastes a key comes back to the page too', async () => {
  const { page } = await aPerson(browser);
  await page.goto(at('device'));
  await page.getByLabel('API key').fill(program.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await codeField(page).waitFor();
  expect(page.url()).toBe(at('device'));
});

it('a wrong code is said, what cannot be one spends no try, and five are enough', async () => {
  const { page, seen } = await personAtPage(await keyOf('developer'));
  const { user_code: right } = await begin();
  const alert = page.getByRole('alert');
  await type(page, 'BCDF-GHJ1');
  await alert.getByText('A code has eight letters').waitFor();
  expect(seen.addresses.filter((each) => each.includes('/v2/device/'))).toEqual([]);
  for (let tries = 1; tries <= 5; tries += 1) {
    const answered = page.waitForResponse('**/v2/device/lookup');
    await type(page, 'ZZZZ-ZZZZ');
    expect((await answered).status()).toBe(404);
    await alert.getByText('No login is waiting for this code').waitFor();
  }
  expect(await codeField(page).getAttribute('aria-invalid')).toBe('true');
  await isFieldFocused(page);
  await type(page, right);
  await alert.getByText(/Too many wrong codes.* in (?:10|9) minutes/).waitFor();
  // They are this person's alone.
  const other = await personAtPage(await keyOf('developer'));
  await type(other.page, right);
  await title(other.page, 'Let this program in?').waitFor();
  expect(seen.complaints).toEqual([]);
});

it('a program that is denied gets nothing, and its code is over, also for who has it open', async () => {
  const begun = await begin();
  const [{ page, seen }, late] = [await personAtPage(), await personAtPage()];
  for (const each of [page, late.page]) {
    await type(each, begun.user_code);
    await title(each, 'Let this program in?').waitFor();
  }
  await page.getByRole('button', { name: 'Deny' }).click();
  await title(page, 'The program was denied').waitFor();
  expect(await fetched(begun)).toMatchObject({ status: 400, code: 'access_denied' });
  await late.page.getByRole('button', { name: /^Approve/ }).click();
  await late.page.getByRole('alert').getByText('This code has expired').waitFor();
  await late.page.locator('button:focus').getByText('Type another code').waitFor();
  await late.page.keyboard.press('Enter');
  expect(await codeField(late.page).inputValue()).toBe('');
  await page.getByRole('button', { name: 'Type another code' }).click();
  await type(page, begun.user_code);
  await page.getByRole('alert').getByText('No login is waiting for this code').waitFor();
  expect([seen.complaints, late.seen.complaints]).toEqual([[], []]);
});

it('nobody gives more than they have', async () => {
  const key = await keyOf('viewer');
  const { page } = await personAtPage(key);
  const begun = await begin();
  await type(page, begun.user_code);
  await page.getByRole('button', { name: /^Role Viewer/ }).click();
  expect(await page.getByRole('option').allTextContents()).toEqual(['Viewer']);
  await page.keyboard.press('Escape');
  const asked = { user_code: begun.user_code, role: 'developer' };
  expect((await api({ ...program, apiKey: key }, 'POST', '/v2/device/confirm', asked)).status).toBe(403);
  await page.getByRole('button', { name: 'Approve as Viewer' }).click();
  await title(page, 'Go back to your terminal').waitFor();
  expect(await page.getByRole('link', { name: 'Access' }).count()).toBe(0);
  expect(await fetched(begun)).toMatchObject({ status: 200, role: 'viewer' });
});

it('an administrator chooses, and the button says what', async () => {
  const { page } = await personAtPage();
  const begun = await begin();
  await type(page, begun.user_code);
  await choose(page, 'Role', /^Administrator$/);
  await page.getByText('manages keys, members').waitFor();
  await page.getByRole('button', { name: 'Approve as Administrator', exact: true }).click();
  await title(page, 'Go back to your terminal').waitFor();
  expect(await fetched(begun)).toMatchObject({ status: 200, role: 'admin' });
});

it('what was asked for one tenant is not approved for another', async () => {
  const body = { name: 'of all', role: 'organization_admin', scope: 'organization' };
  const { key } = await expectApi<{ key: string }>(program, 'POST', '/v2/api-keys', body, 201);
  const other = await expectApi<{ id: string }>(program, 'POST', '/v2/tenants', { name: 'other' }, 201);
  const { page, seen } = await aPerson(browser);
  await page.goto(at('device'));
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const begun = await begin();
  await chooseTenant(page, 'local');
  await type(page, begun.user_code);
  await title(page, 'Let this program in?').waitFor();
  await chooseTenant(page, 'other');
  await codeField(page).waitFor();
  expect(await codeField(page).inputValue()).toBe('');
  await type(page, begun.user_code);
  await page.locator('.facts').getByText('other').waitFor();
  await page.getByRole('button', { name: /^Approve/ }).click();
  await title(page, 'Go back to your terminal').waitFor();
  expect(await fetched(begun)).toMatchObject({ status: 200, tenant_id: other.id });
  expect(seen.complaints).toEqual([]);
});

/** What a stranger may call a program: as long as it may be, and marked up. */
const hostile = [
  '<a href="https://evil.example">slipway</a><img src=x onerror=alert(1)>'.padEnd(100, '!'),
  'https://evil.example/'.padEnd(100, 'W'),
  `Z${'\u0310\u0316'.repeat(49)}`,
];

it.each(hostile)('what a program says of itself is text, and breaks nothing: %s', async (name) => {
  const { page, seen } = await personAtPage();
  const { user_code: code } = await begin(name);
  await type(page, code);
  await page.locator('.claimed').getByText(`“${name}”`, { exact: true }).waitFor();
  expect(await page.locator('main').getByRole('link').count()).toBe(0);
  expect(await page.locator('main img').count()).toBe(0);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 860 });
    await expectNoBarrier(page, `${name} at ${width}`);
  }
  expect(seen.complaints).toEqual([]);
});

it('by keyboard alone, and no turn of the page has a barrier, in either theme, wide or narrow', async () => {
  const { page, seen } = await personAtPage();
  const { user_code: code } = await begin();
  const look = async (what: string) => {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 });
      await expectNoBarrier(page, `${what} at ${width}`);
    }
  };
  await look('code');
  await page.keyboard.type('nothing');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await look('wrong code');
  // What was wrong is chosen, so that the next one takes its place.
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
  await title(page, 'Let this program in?').waitFor();
  // Whoever presses it once too often has approved nothing.
  await page.keyboard.press('Enter');
  await choose(page, 'Role', /organization$/);
  await look('asks');
  await page.getByRole('button', { name: /^Role / }).focus();
  for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
  await title(page, 'Go back to your terminal').waitFor();
  await look('approved');
  await page.getByRole('button', { name: 'Type another code' }).press('Enter');
  await codeField(page).waitFor();
  await isFieldFocused(page);
  const { user_code: next } = await begin();
  await type(page, next);
  await page.getByRole('button', { name: 'Deny' }).press('Enter');
  await title(page, 'The program was denied').waitFor();
  await look('denied');
  expect(seen.complaints).toEqual([]);
});
