import type { Browser, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Installed, installed } from '../support/console/installed.ts';
import { aLink, aPerson, barriersInBothThemes, keyIn } from '../support/console/person.ts';
import { api, expectApi, type Program } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** Whose the session is: no page but the console's gets it, none replaces it unasked, every page shows it. */
let program: Program;
let browser: Browser;
let signedIn: Installed['signedIn'];
let viewerKey: string;

const ADMIN = 'Administrator of the organization';

installed(async (here) => {
  ({ program, browser, signedIn } = here);
  await here.unused('agent');
  const key = { name: 'v', role: 'viewer' };
  viewerKey = (await expectApi<{ key: string }>(program, 'POST', '/v2/api-keys', key, 201)).key;
});

const roleIn = (page: Page) => page.locator('.role').textContent();
/** The page stands there with the session before until it has the other one. */
const isViewer = (page: Page) =>
  until(async () => (await roleIn(page).catch(() => '')) === 'Viewer', { what: 'the other session' });

/** Asks whatever the console's own pages ask of each other, by every way there is, and hears the answers. */
const ASK = `(async () => {
  heard = [];
  const hear = ({ data }) => heard.push(data);
  channel = new BroadcastChannel('slipway.session');
  channel.onmessage = hear;
  navigator.serviceWorker.onmessage = hear;
  const ask = async () => {
    channel.postMessage({ kind: 'who' });
    const found = await navigator.serviceWorker.getRegistrations();
    for (const { active } of found) active.postMessage({ kind: 'who' });
    return found.length;
  };
  const workers = await ask();
  history.pushState(null, '', '/console/deployments');
  await ask();
  return workers;
})()`;

/** All that a page of this origin can hear and read. */
const REACHED = `(async () => JSON.stringify([
  heard, name, { ...sessionStorage }, { ...localStorage }, history.state, document.cookie,
  await indexedDB.databases(), await caches.keys(),
  await fetch('/console/').then((answer) => answer.text()),
  await fetch('/console/session-worker.js').then((answer) => answer.text()),
]))()`;

it('a tab that is told who is signed in before it has painted signs in', async () => {
  const { page, context } = await signedIn();
  // The first tab answers when it is let, and the second paints when it is let.
  await page.evaluate(`{
    const post = ServiceWorker.prototype.postMessage;
    globalThis.answer = new Promise((resolve) => { globalThis.letAnswer = resolve; });
    ServiceWorker.prototype.postMessage = function (message) {
      answer.then(() => post.call(this, message));
    };
  }`);
  await context.addInitScript(`{
    const timer = setTimeout;
    const painted = new Promise((resolve) => { globalThis.letPaint = resolve; });
    globalThis.requestAnimationFrame = (work) => { painted.then(work); return 0; };
    // What a library does where no frame comes.
    globalThis.setTimeout = (work, wait = 0) => wait < 100 ? (painted.then(work), 0) : timer(work, wait);
  }`);
  const second = await context.newPage();
  await second.goto(`${program.baseUrl}/console/deployments?name=agent`);
  await second.getByLabel('API key').waitFor();
  const key = await keyIn(page);
  await page.evaluate('letAnswer()');
  await until(async () => (await keyIn(second)) === key, { what: 'the second tab to be told' });
  await second.evaluate('letPaint()');
  await second.getByRole('link', { name: 'agent', exact: true }).waitFor();
});

it('the page of the API has no part in the session, beside the console or after it in the same tab', async () => {
  const { page, context } = await signedIn();
  expect(await keyIn(page)).toMatch(/^slp_/);
  const docs = await context.newPage();
  await docs.goto(`${program.baseUrl}/docs`);
  await docs.locator('#viewer .info').waitFor();
  expect(await docs.evaluate<number>(ASK)).toBe(1);
  // A console that is opened after it asks as well, and is signed in.
  const beside = await context.newPage();
  await beside.goto(`${program.baseUrl}/console/`);
  await beside.locator('.role').waitFor();
  expect(await keyIn(beside)).toBe(await keyIn(page));
  expect(await docs.evaluate<string>(REACHED)).not.toContain('slp_');
  // It reaches into no page that is not its own, not even an answer below the console's address.
  expect(await docs.evaluate<boolean>("open('/console/assets/none.js') === null")).toBe(true);

  // A tab that was signed in, and is led on by its address bar.
  await page.reload();
  await page.locator('.role').waitFor();
  await page.goto(`${program.baseUrl}/docs`);
  await page.locator('#viewer .info').waitFor();
  await page.evaluate(ASK);
  expect(await page.evaluate<string>(REACHED)).not.toContain('slp_');
});

it('the page of the API still tries requests, with a key of its own', async () => {
  const { page, context } = await aPerson(browser);
  await page.goto(`${program.baseUrl}/docs`);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const form = page.locator('.modal-ux');
  await form.getByLabel('Value:').first().fill(program.apiKey);
  await form.getByRole('button', { name: 'Apply credentials' }).first().click();
  await form.getByRole('button', { name: 'Close' }).first().click();
  const row = page.locator('#operations-Identity-getMe, [id$="-getMe"]').first();
  await row.getByRole('button').first().click();
  await row.getByRole('button', { name: 'Try it out' }).click();
  await row.getByRole('button', { name: 'Execute' }).click();
  await row.locator('.live-responses-table').getByText('organization_id').first().waitFor();
  // A link that would open beside opens here: the page opens no windows.
  await page.locator('.info a[href$="openapi.json"]').click();
  await page.waitForURL(/openapi\.json$/);
  expect(context.pages()).toHaveLength(1);
});

it('a link asks before it replaces a session, and the code is not used up by who stays', async () => {
  const { page, context } = await signedIn();
  expect(await roleIn(page)).toBe(ADMIN);
  const before = await keyIn(page);
  const link = await aLink(program, viewerKey);
  await page.goto(link);
  await page.getByRole('heading', { name: 'Replace this sign-in?' }).waitFor();
  expect(await barriersInBothThemes(page)).toEqual([]);
  expect(page.url()).not.toContain('code=');
  const me = (await api(program, 'GET', '/v2/me')).body as { user_id: string; tenants: { name: string }[] };
  for (const text of [me.user_id, me.tenants[0]?.name ?? '']) await page.getByText(text).first().waitFor();
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await page.getByRole('link', { name: 'agent', exact: true }).waitFor();
  expect([await keyIn(page), await roleIn(page)]).toEqual([before, ADMIN]);

  // In a tab beside it, which would be signed in by this one, however long that takes to answer.
  const beside = await context.newPage();
  const busy = page.evaluate('for (const end = Date.now() + 1000; Date.now() < end; );');
  await beside.goto(link);
  await beside.getByRole('button', { name: 'Use the link' }).click();
  await busy;
  await isViewer(beside);
  expect(await roleIn(page)).toBe(ADMIN);
  await beside.reload();
  await beside.locator('.role').waitFor();
  expect(await roleIn(beside)).toBe('Viewer');
});

it('a link that is pasted into the very page it leads to is taken, and asks too', async () => {
  const { page } = await signedIn();
  const link = await aLink(program, viewerKey);
  await page.evaluate(`location.hash = '${new URL(link).hash}'`);
  await page.getByRole('button', { name: 'Use the link' }).click();
  await isViewer(page);
  expect(page.url()).not.toContain('code=');
});

it('a session that is over is not asked about', async () => {
  const { page } = await signedIn();
  // The page has all it shows: it stands there with the session before while the link is taken.
  await page.getByRole('link', { name: 'agent', exact: true }).waitFor();
  const key = await keyIn(page);
  // It ends elsewhere, and this tab has not heard of it.
  await api({ ...program, apiKey: key }, 'DELETE', '/v2/console-sessions');
  await page.goto(await aLink(program, viewerKey));
  await isViewer(page);
  await page.getByRole('link', { name: 'agent', exact: true }).waitFor();
  expect(await keyIn(page)).not.toBe(key);
});

it('every page shows the user and the tenant, on a narrow screen too', async () => {
  const { page } = await signedIn();
  const me = (await api(program, 'GET', '/v2/me')).body as { user_id: string; tenants: { name: string }[] };
  for (const place of ['deployments', 'deployments/new', 'listeners', 'access', 'audit', 'nowhere']) {
    await page.goto(`${program.baseUrl}/console/${place}`);
    const side = page.getByRole('navigation', { name: 'Main' });
    await side.locator('.who').waitFor();
    expect(await side.getByTitle(me.user_id).innerText()).toBe('You');
    expect(await side.locator('.tenant').innerText()).toBe(me.tenants[0]?.name);
  }
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole('button', { name: 'More', exact: true }).click();
  const sheet = page.getByRole('menu', { name: 'More pages' });
  await sheet.getByTitle(me.user_id).waitFor();
  expect(await sheet.innerText()).toContain(me.tenants[0]?.name);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0);
});
