import type { Browser, Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { installed } from '../support/console/installed.ts';
import { aLink, aPerson, barriersInBothThemes } from '../support/console/person.ts';
import { rowOf, serves } from '../support/console/revisions.ts';
import type { TestRepository } from '../support/files/git-repository.ts';
import { create, deployed, expectApi, type Program } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** From the printed link to a server that answers: by keyboard alone, and by mouse alone. */
let program: Program;
let browser: Browser;
let repository: TestRepository;

installed(async (here) => {
  ({ program, browser } = here);
  repository = await here.repository();
});

const bannersLink = () => /(\S+\/console\/#code=\S+)/.exec(program.output())?.[1] ?? '';

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, place: Locator): Promise<void> {
  await place.waitFor();
  for (let presses = 0; presses < 40; presses += 1) {
    if (await place.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab does not lead there');
}

/** Types into the palette, and chooses what is first in it. */
async function choose(page: Page, typed: string, title: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Page, deployment or action' }).waitFor();
  await page.keyboard.type(typed);
  await page.locator('#palette [aria-selected=true]').filter({ hasText: title }).waitFor();
  await page.keyboard.press('Enter');
}

/** What the page says that opens beside this one. */
async function opened(page: Page, open: () => Promise<void>): Promise<string> {
  const beside = page.context().waitForEvent('page');
  await open();
  const other = await beside;
  await until(async () => (await other.content()).includes('version'), {
    what: 'the server to answer',
  });
  const text = await other.content();
  await other.close();
  return text;
}

it('by keyboard alone', async () => {
  const { page, seen } = await aPerson(browser);
  await page.goto(bannersLink());
  await page.locator('.role').waitFor();
  await choose(page, 'new dep', 'New deployment');
  await tabTo(page, page.getByLabel(/^Address of the repository/));
  await page.keyboard.type(repository.url);
  // A name is suggested meanwhile; whoever has another in mind replaces it.
  await tabTo(page, page.getByRole('textbox', { name: /^Name/ }));
  await page.keyboard.press('Control+a');
  await page.keyboard.type('by-keyboard');
  await page.keyboard.press('Enter');
  await serves(page, 1);
  expect(await opened(page, () => choose(page, 'open', 'Open the address'))).toContain('v1');
  // Another place, and back by the deployment's name.
  await choose(page, 'deployments', /^Deployments/);
  await page.getByRole('heading', { name: 'Deployments' }).waitFor();
  await choose(page, 'by-key', 'by-keyboard');
  await page.getByRole('heading', { name: 'by-keyboard' }).waitFor();
  await choose(page, 'restart', 'Restart revision 1');
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Restart' }));
  await page.keyboard.press('Enter');
  await rowOf(page, 2).getByText('Serving').waitFor();
  expect(seen.complaints).toEqual([]);
});

it('by mouse alone, but for the texts', async () => {
  const { page, seen } = await aPerson(browser);
  await page.goto(await aLink(program));
  await page.getByRole('link', { name: 'New deployment' }).click();
  await page.getByLabel(/^Address of the repository/).fill(repository.url);
  await page.getByRole('textbox', { name: /^Name/ }).fill('by-mouse');
  await page.getByRole('button', { name: 'Create and deploy' }).click();
  await serves(page, 1);
  await page.getByRole('link', { name: 'by-mouse' }).click();
  const address = page.locator('.addr').getByRole('link', { name: /\/d\/by-mouse$/ });
  expect(await opened(page, () => address.click())).toContain('v1');
  await page.getByRole('button', { name: /^Search or jump to/ }).click();
  await page.getByRole('option', { name: /^Deployments/ }).click();
  await page.getByRole('heading', { name: 'Deployments' }).waitFor();
  expect(seen.complaints).toEqual([]);
});

it('the palette has what the role may do, no barrier, and its key is listed with the others', async () => {
  await deployed(program, await create(program, 'shared', repository.url));
  const made = await expectApi<{ key: string }>(
    program,
    'POST',
    '/v2/api-keys',
    { name: 'v', role: 'viewer' },
    201,
  );
  const { page } = await aPerson(browser);
  await page.goto(await aLink(program, made.key));
  await page.getByRole('link', { name: 'shared', exact: true }).click();
  await rowOf(page, 1).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: /^Log of revision 1/ }).waitFor();
  await page.getByRole('option', { name: /^Open the address/ }).waitFor();
  expect(await page.getByRole('option', { name: /Restart|Settings|New deployment/ }).count()).toBe(0);
  expect(await barriersInBothThemes(page)).toEqual([]);
  await page.keyboard.type('no such thing anywhere');
  await page.getByText('Nothing matches “no such thing anywhere”').waitFor();
  // A key that comes at once after the close is sent to the field that the browser has not left yet.
  await page.evaluate(`{
    const field = document.activeElement;
    field.closest('dialog').close();
    field.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }));
  }`);
  await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Ctrl K', { exact: true }).waitFor();
});
