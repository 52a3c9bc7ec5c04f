import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Role } from '../../lib/contract/roles.ts';
import { type Installed, installed } from '../support/console/installed.ts';
import { aPerson, barriersInBothThemes, inOwnMenu, keyIn } from '../support/console/person.ts';
import { api, expectApi, type Program, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** The installed program and a browser as people have it: signing in, the list, and who sees what. */
let program: Program;
let browser: Browser;
let signedIn: Installed['signedIn'];
let make: Installed['unused'];

const DEPLOYMENTS = 50;

installed(async (here) => {
  ({ program, browser, signedIn, unused: make } = here);
  for (let n = 1; n <= DEPLOYMENTS; n += 1) await here.unused(`agent-${n}`);
});

/** What the role may do is shown from then on. */
const roleIsKnown = (page: Page): Promise<void> => page.locator('.role').waitFor();

it('another tab is signed in by the first, and signing out ends the session in both, and at the API', async () => {
  const { page, context } = await signedIn();
  const key = await keyIn(page);
  const second = await context.newPage();
  await second.goto(`${program.baseUrl}/console/deployments?name=agent-7`);
  await second.getByRole('link', { name: 'agent-7', exact: true }).waitFor();
  const asSession = { ...program, apiKey: key };
  expect((await api(asSession, 'GET', '/v2/me')).body).toMatchObject({ is_session: true });
  await inOwnMenu(page, 'Sign out');
  for (const each of [page, second]) await each.getByLabel('API key').waitFor();
  await until(async () => (await api(asSession, 'GET', '/v2/me')).status === 401, {
    what: 'the session to be over',
  });
  expect(
    await page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, window.name])'),
  ).not.toContain('slp_');
});

it('who pastes a key is signed in where they wanted to go, and a wrong one is refused', async () => {
  const { page } = await aPerson(browser);
  await page.goto(`${program.baseUrl}/console/deployments?status=UNUSED&name=agent-12`);
  await page
    .getByLabel('API key')
    .fill(`${program.apiKey.slice(0, -1)}${program.apiKey.endsWith('A') ? 'B' : 'A'}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('API key').fill(program.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'agent-12', exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?status=UNUSED&name=agent-12');
  expect(await page.getByRole('row').count()).toBe(2);
});

it('the first list keeps its budgets, with fifty deployments on it', async () => {
  const key = await keyIn((await signedIn()).page);
  // A browser that has seen none of it yet.
  const { page, context } = await aPerson(browser);
  await context.addInitScript(`name = 'slipway.key=${key}'`);
  const loaded: { type: string; bytes: Promise<number> }[] = [];
  const requests: string[] = [];
  let fonts = 0;
  page.on('request', (request) => {
    // Nothing waits for fonts.
    if (request.resourceType() === 'font') fonts += 1;
    else requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  page.on('response', (response) => {
    const type = response.request().resourceType();
    if (type !== 'script' && type !== 'stylesheet') return;
    loaded.push({ type, bytes: response.body().then((body) => gzipSync(body).length) });
  });
  // Two seconds later it looks for news, and what it hears makes it ask for all again: it hears nothing.
  await page.route('**/v2/events?*', () => undefined);
  await page.goto(`${program.baseUrl}/console/deployments`);
  await page.getByRole('link', { name: 'agent-1', exact: true }).waitFor();
  expect(await page.getByRole('row').count()).toBe(DEPLOYMENTS + 1);
  const bytesOf = async (type: string) => {
    const all = await Promise.all(loaded.filter((each) => each.type === type).map(({ bytes }) => bytes));
    return all.reduce((sum, bytes) => sum + bytes, 0);
  };
  const [script, style] = [await bytesOf('script'), await bytesOf('stylesheet')];
  // oxlint-disable-next-line no-console -- a budget is to be seen, not only kept
  console.log(
    `console: ${requests.length} requests, ${fonts} of fonts; gzip bytes: script ${script}, style ${style}`,
  );
  expect(requests.filter((each) => each !== 'GET /v2/events').length).toBeLessThanOrEqual(7);
  expect(fonts).toBeLessThanOrEqual(2);
  expect(script).toBeGreaterThan(10_000);
  expect(script).toBeLessThanOrEqual(45 * 1024);
  expect(style).toBeGreaterThan(1_000);
  expect(style).toBeLessThanOrEqual(8 * 1024);
});

it('filters stand in the address, and the list is worked by keyboard alone', async () => {
  const { page, seen } = await signedIn();
  await page.keyboard.press('/');
  await page.keyboard.type('agent-4');
  await page.waitForURL(/\?name=agent-4$/);
  await until(async () => (await page.getByRole('row').count()) === 12, {
    what: '11 rows',
  });
  // Past the choice of a status, to the first row: the one whose name is exactly that.
  for (const key of ['Tab', 'Tab', 'k']) await page.keyboard.press(key);
  for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'agent-49' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'agent-4', exact: true }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(seen.complaints).toEqual([]);
});

it('what is typed as soon as the page is there stays', async () => {
  const { page } = await signedIn();
  // Sooner than any person: before the page has done what follows its first picture.
  await page.addInitScript({
    content: `new MutationObserver((_, watching) => {
      const field = document.querySelector('input[type=search]');
      if (field === null) return;
      watching.disconnect();
      field.value = 'agent-4';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }).observe(document, { childList: true, subtree: true });`,
  });
  await page.goto(`${program.baseUrl}/console/deployments`);
  await page.waitForURL(/\?name=agent-4$/);
  expect(await page.getByRole('searchbox').inputValue()).toBe('agent-4');
});

it('who signs out while the API is away is told that the session goes on', async () => {
  const { page } = await signedIn();
  await page.route('**/v2/console-sessions', (route) => route.abort());
  await inOwnMenu(page, 'Sign out');
  await page.getByText('the session goes on').waitFor();
  expect(await page.getByLabel('API key').isVisible()).toBe(true);
});

it('what is away is said, what is shown stays, and it comes back by itself', async () => {
  const { page, context } = await signedIn();
  await page.getByRole('link', { name: 'agent-9', exact: true }).waitFor();
  await context.setOffline(true);
  // As when a person comes back to the tab.
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByText('The API does not answer').waitFor();
  expect(await page.getByRole('row').count()).toBe(DEPLOYMENTS + 1);
  await context.setOffline(false);
  await page.getByText('The API does not answer').waitFor({ state: 'hidden' });
});

const keyOf = async (role: Role): Promise<string> =>
  (await expectApi<{ key: string }>(program, 'POST', '/v2/api-keys', { name: role, role }, 201)).key;

it.each([
  ['viewer', false],
  ['developer', true],
  ['admin', true],
  ['organization_admin', true],
] as const)('a %s sees what they may do, on every page', async (role, canWrite) => {
  const page = (await signedIn(await keyOf(role))).page;
  const isShown = async (name: string | RegExp) =>
    (await page.getByRole('button', { name }).or(page.getByRole('link', { name })).count()) > 0;
  const found = await expectApi<{ resources: ShownDeployment[] }>(
    program,
    'GET',
    '/v2/deployments?name=agent-1',
    undefined,
    200,
  );
  const id = found.resources[0]?.id ?? '';
  expect(await isShown('New deployment')).toBe(canWrite);
  await page.goto(`${program.baseUrl}/console/deployments/${id}`);
  await roleIsKnown(page);
  await page.getByText('Nothing is deployed yet').waitFor();
  expect(await isShown('Settings')).toBe(canWrite);
  await page.goto(`${program.baseUrl}/console/deployments/${id}/settings`);
  await roleIsKnown(page);
  await page.getByText(canWrite ? 'Add a secret' : 'Your role does not include this page').waitFor();
  expect(await isShown(/Delete/)).toBe(canWrite);
  await page.goto(`${program.baseUrl}/console/deployments/new`);
  await roleIsKnown(page);
  await page
    .getByText(canWrite ? 'Address of the repository' : 'Your role does not include this page')
    .first()
    .waitFor();
});

it('what a deployment is before its first upload is no revision to look at', async () => {
  const { id } = await make('waiting');
  const { page, seen } = await signedIn();
  await page
    .getByRole('row', { name: /waiting/ })
    .getByText('Nothing deployed yet')
    .waitFor();
  expect(await page.getByText('Skipped').count()).toBe(0);
  await page.getByRole('link', { name: 'waiting', exact: true }).click();
  await page.getByText('slipway deploy --name waiting').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: /^Settings/ }).waitFor();
  expect(await page.getByRole('option', { name: /Log of revision/ }).count()).toBe(0);
  await page.keyboard.press('Escape');
  // One that somebody has asked for is shown, whatever came of it.
  await expectApi(program, 'PATCH', `/v2/deployments/${id}`, { source_config: { build_command: 'x' } }, 200);
  const row = page.locator('.rev');
  await row.getByText('Skipped').waitFor();
  expect([await row.count(), await row.getByRole('link').getAttribute('aria-label')]).toEqual([
    1,
    'Revision 2',
  ]);
  expect(seen.complaints).toEqual([]);
});

it('a listener’s key, which opens no page, is told so', async () => {
  const { resources } = await expectApi<{ resources: { id: string }[] }>(
    program,
    'GET',
    '/v2/listeners',
    undefined,
    200,
  );
  const body = { name: 'l', role: 'listener', listener_id: resources[0]?.id };
  const { key } = await expectApi<{ key: string }>(program, 'POST', '/v2/api-keys', body, 201);
  const { page } = await aPerson(browser);
  await page.goto(`${program.baseUrl}/console/`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText("lacks permission 'self:read'").waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
});

it('what is not there, or another tenant’s, is not found; another place is no page', async () => {
  const { page } = await signedIn();
  const id = crypto.randomUUID();
  await page.goto(`${program.baseUrl}/o/${crypto.randomUUID()}/host/deployments/${id}`);
  await page.getByText(`Deployment ID ${id} not found.`).waitFor();
  await page.goto(`${program.baseUrl}/console/nowhere`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  expect(
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).count(),
  ).toBe(1);
});

it('no page has a barrier, in either theme, wide or narrow', async () => {
  const { page, context, seen } = await signedIn();
  const found = await expectApi<{ resources: ShownDeployment[] }>(
    program,
    'GET',
    '/v2/deployments?name=agent-3',
    undefined,
    200,
  );
  const [made] = found.resources;
  const places = [
    ['deployments', 'Deployments'],
    ['deployments?name=nothing-like-it', 'Deployments'],
    ['deployments/new', 'New deployment'],
    [`deployments/${made?.id}`, 'agent-3'],
    [`deployments/${made?.id}/revisions/${made?.latest_revision_id}`, 'Revision 1'],
    [`deployments/${made?.id}/settings`, 'agent-3'],
  ];
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 860 });
    for (const [path = '', heading = ''] of places) {
      await page.goto(`${program.baseUrl}/console/${path}`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      expect([width, path, await barriersInBothThemes(page)]).toEqual([width, path, []]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([width, path, overflow]).toEqual([width, path, 0]);
    }
  }
  // It would find one.
  await page.evaluate("document.querySelector('main').append(document.createElement('button'))");
  expect((await barriersInBothThemes(page)).join()).toContain('button-name');
  const stranger = await aPerson(browser);
  await stranger.page.goto(`${program.baseUrl}/console/`);
  await stranger.page.getByLabel('API key').waitFor();
  expect(await barriersInBothThemes(stranger.page)).toEqual([]);
  expect([seen.complaints, await context.cookies()]).toEqual([[], []]);
});
