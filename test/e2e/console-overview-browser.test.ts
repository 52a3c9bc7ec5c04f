import type { Browser, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Installed, installed } from '../support/console/installed.ts';
import { aPerson, barriersInBothThemes, keyIn } from '../support/console/person.ts';
import { create, ended, expectApi, type Program, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** The first page, the palette, and what becomes of a session that has ended. */
let program: Program;
let browser: Browser;
let broken: ShownDeployment;
let make: Installed['unused'];
let signedIn: Installed['signedIn'];
let at: Installed['at'];

const DEPLOYMENTS = 200;
const AT_ONCE = 10;
const NAME_LENGTH = 63;
const longName = (number: number): string => `a-very-long-name-${number}-`.padEnd(NAME_LENGTH, 'x');

installed(async (here) => {
  ({ program, browser, unused: make, signedIn, at } = here);
  const { url } = await here.repository();
  broken = await create(program, 'broken', url, {
    source_config: { repo_url: url, build_command: 'npm run no-such-script' },
  });
  expect((await ended(program, broken.id, broken.latest_revision_id)).status).toBe('BUILD_FAILED');
});

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });

it('what failed is said first, with what to do about it; what happened stands beside, with names', async () => {
  await expectApi(program, 'POST', '/v2/webhooks', { name: 'to nobody', url: 'http://127.0.0.1:9/' }, 201);
  const { page, seen } = await signedIn();
  const needs = page.getByRole('region', { name: 'Needs attention' });
  await needs.getByText('broken: revision 1 failed to build').waitFor();
  await needs.getByText(/Nothing serves yet\./).waitFor();
  const activity = page.getByRole('complementary', { name: 'Activity' });
  await activity.getByText('broken 1 failed to build').waitFor();
  await activity.getByText(/created broken$/).waitFor();
  const count = await needs.getByRole('listitem').count();
  const overview = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Overview/ });
  expect(await overview.textContent()).toContain(String(count));
  await row(page, 'broken').getByText('Build failed').waitFor();
  await page.getByRole('button', { name: /^Failing/ }).click();
  await page.waitForURL(/\?show=failing$/);
  expect(await page.getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: /^In progress/ }).click();
  await page.getByText('No deployment is in progress').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await needs.getByRole('link', { name: 'See why' }).click();
  await page.waitForURL(new RegExp(`/deployments/${broken.id}/revisions/`));
  await page.goto(at('activity?about=trouble'));
  await page.getByText('broken 1 failed to build').waitFor();
  expect(await page.getByText(/created broken$/).count()).toBe(0);
  await page.goto(at('topology'));
  await page.getByRole('row', { name: /local.*runs.*broken/ }).waitFor();
  expect(seen.complaints).toEqual([]);
});

it('the palette acts on what is typed, keeps its size, and remembers where somebody went', async () => {
  const { page, seen } = await signedIn();
  const selected = page.locator('#palette [aria-selected=true]');
  const height = async () => (await page.getByRole('dialog').boundingBox())?.height;
  await page.keyboard.press('Control+k');
  await selected.waitFor();
  const before = await height();
  await page.keyboard.type('sett brok');
  await selected.filter({ hasText: 'Settings of broken' }).waitFor();
  expect(await selected.locator('mark').allTextContents()).toEqual(['Sett', 'brok']);
  expect(await height()).toBe(before);
  // What is typed and chosen at once is what is done, and not what was found for the letters before.
  await page.getByRole('combobox').fill('');
  await page.keyboard.type('audit log');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/audit$/);
  await page.keyboard.press('Control+k');
  await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Audit log' }).waitFor();
  await page.keyboard.type('no such thing');
  await page.getByText('Nothing matches “no such thing”').waitFor();
  await page.keyboard.press('Enter');
  expect([await height(), new URL(page.url()).pathname.endsWith('/audit')]).toEqual([before, true]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await barriersInBothThemes(page)).toEqual([]);
  expect(seen.complaints).toEqual([]);
});

it('a session that has ended says so, and who signs in again is where they were', async () => {
  const { page } = await signedIn();
  await page.goto(at('activity?about=deploys'));
  await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
  await until(async () => (await page.locator('.feed').count()) > 0, { what: 'the activity' });
  const key = await keyIn(page);
  await expectApi({ ...program, apiKey: key }, 'DELETE', '/v2/console-sessions', undefined, 204);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByText('Your session has ended.').waitFor();
  await page.getByLabel('API key').fill(program.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
  expect(new URL(page.url()).search).toBe('?about=deploys');
});

it('two hundred deployments with long names are shown, filtered, and wider than no window', async () => {
  for (let made = 0; made < DEPLOYMENTS; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => make(longName(made + index))));
  const key = await keyIn((await signedIn()).page);
  const { page, context, seen } = await aPerson(browser);
  await context.addInitScript(`name = 'slipway.key=${key}'`);
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() !== 'font')
      requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await page.route('**/v2/events?*', () => undefined);
  await page.goto(at(''));
  await page.getByRole('link', { name: longName(DEPLOYMENTS - 1), exact: true }).waitFor();
  // What happened is asked for once the list is there.
  const toList = requests.filter((each) => each !== 'GET /v2/events' && each !== 'GET /v2/activity');
  expect(toList.length).toBeLessThanOrEqual(7);
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(at(''));
    await page.getByRole('link', { name: longName(DEPLOYMENTS - 1), exact: true }).waitFor();
    await page.locator('.feed').waitFor();
    expect([width, await barriersInBothThemes(page)]).toEqual([width, []]);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect([width, overflow]).toEqual([width, 0]);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  // Who looks at a part of the list looks at all of it: the one that failed is on the last page.
  await page.goto(at('?show=failing'));
  await row(page, 'broken').waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  expect(seen.complaints).toEqual([]);
});
