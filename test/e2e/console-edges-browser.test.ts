import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Installed, installed } from '../support/console/installed.ts';
import { barriersInBothThemes } from '../support/console/person.ts';
import { rowOf, serves } from '../support/console/revisions.ts';
import type { TestRepository } from '../support/files/git-repository.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import {
  copyExample,
  create,
  deployed,
  expectApi,
  helloFrom,
  type Program,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** What is seldom: folders that are dropped, old tabs, odd names, statuses of a later version. */
let program: Program;
let repository: TestRepository;
let at: Installed['at'];
let signedIn: Installed['signedIn'];

const empty = { source: 'internal_source', source_config: {}, source_revision_config: {} };

installed(async (here) => {
  ({ program, at, signedIn } = here);
  repository = await here.repository();
});

/** Drops a folder as a person drags it from a file manager: the browser itself makes its entries. */
async function drop(page: Page, path: string): Promise<void> {
  const place = await page.locator('.drop').boundingBox();
  if (place === null) throw new Error('there is nothing to drop it on');
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, x, y, data });
}

it('a folder that is dropped on the page is deployed', async () => {
  const project = join(await temporaryFolder(), 'my-project');
  await copyExample(project);
  const { page, seen } = await signedIn();
  await page.goto(at('deployments/new'));
  await page.getByRole('button', { name: 'Folder', exact: true }).click();
  await drop(page, project);
  await page.getByText(/^\d+ files, \d+ kB$/).waitFor();
  const name = page.getByRole('textbox', { name: /^Name/ });
  // It is called as the folder is, unless somebody says otherwise.
  await until(async () => (await name.inputValue()) === 'my-project', { what: 'the name of the folder' });
  await name.fill('dropped');
  await page.getByRole('button', { name: 'Create and deploy' }).click();
  await serves(page, 2);
  const { resources } = await expectApi<{ resources: ShownDeployment[] }>(
    program,
    'GET',
    '/v2/deployments?name=dropped',
    undefined,
    200,
  );
  expect(resources[0] && (await helloFrom(resources[0])).version).toBe('v1');
  expect(seen.complaints).toEqual([]);
});

it('settings are changed with the version that was seen, and a revision says why there is it', async () => {
  const made = await create(program, 'sized', repository.url, {
    source_config: { repo_url: repository.url, resource_spec: { cpu: 1, labels: { team: 'a' } } },
  });
  await deployed(program, made);
  const { page } = await signedIn();
  await page.goto(at(`deployments/${made.id}/settings`));
  const health = page.getByLabel(/^Path/);
  // The version that was seen is the one that the page was filled from, whenever its fields are touched.
  await health.waitFor();
  // A machine sets no limits, so the field is grey and says why.
  await page.getByText('sets no limits for it').waitFor();
  expect(await page.getByLabel(/^Memory, in MB/).isDisabled()).toBe(true);
  await patch(program, made.id, {
    source_config: { resource_spec: { cpu: 2, cpu_limit: 4, labels: { team: 'b' } } },
  });
  await health.fill('/ok');
  await page.getByRole('button', { name: 'Save and deploy' }).click();
  await page.getByText('Somebody else has changed this deployment').waitFor();
  await page.getByRole('button', { name: 'Merge' }).click();
  await until(async () => (await page.getByLabel(/^Processors, in CPU/).inputValue()) === '2', {
    what: 'the processors of somebody else',
  });
  expect(await barriersInBothThemes(page)).toEqual([]);
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.getByRole('button', { name: 'Save and deploy' }).click();
  expect((await sent).headers()['if-match']).toMatch(/^"\d+(\.[\w-]+)?"$/);
  await serves(page, 3);
  const { source_config } = await expectApi<{ source_config: object }>(
    program,
    'GET',
    `/v2/deployments/${made.id}`,
    undefined,
    200,
  );
  expect(source_config).toMatchObject({
    resource_spec: { cpu: 2, cpu_limit: 4, labels: { team: 'b' } },
    health_check: { path: '/ok' },
  });
  const redeploy = `/v2/deployments/${made.id}/revisions/${made.latest_revision_id}/redeploy`;
  await expectApi(program, 'POST', redeploy, { reason: 'because of a test' }, 200);
  await page.goto(at(`deployments/${made.id}`));
  await page.getByRole('link', { name: 'Revision 4', exact: true }).click();
  await page.getByText('Runs revision 1 again: because of a test').waitFor();
});

it('a tab that is older than the service loads itself anew, and says so when that does not help', async () => {
  const made = await expectApi<ShownDeployment>(
    program,
    'POST',
    '/v2/deployments',
    { ...empty, name: 'old' },
    201,
  );
  const { page } = await signedIn();
  let asked = 0;
  // As after an upgrade: the files that this page names are no more.
  await page.route('**/console/assets/lazy-*', (route) => {
    asked += 1;
    return route.fulfill({ status: 404, json: { detail: 'Not found.' } });
  });
  await page.getByRole('link', { name: 'old', exact: true }).click();
  await page.getByText('This page could not be loaded').waitFor();
  // Once by itself, and no loop.
  expect(asked).toBe(2);
  await page.unroute('**/console/assets/lazy-*');
  await page.reload();
  await page.getByRole('heading', { name: 'old' }).waitFor();
  expect(page.url()).toBe(at(`deployments/${made.id}`));
});

it('a name with every character that one may have, and a title with those that it may not', async () => {
  const name = 'a0123456789_bcdefghijklmnopqrstuvwxyz-0123456789_abcdefghijklm9';
  const display_name = `<img src=x onerror="alert(1)"> & 'quotes' ⸺ 日本語 ${'long '.repeat(30)}end`;
  await expectApi(program, 'POST', '/v2/deployments', { ...empty, name }, 201);
  await expectApi(program, 'POST', '/v2/deployments', { ...empty, name: 'titled', display_name }, 201);
  const { page, seen } = await signedIn();
  for (const [search, title] of [
    [name, name],
    ['titled', display_name],
  ] as const) {
    await page.goto(at(`deployments?name=${search}`));
    await page.getByRole('link', { name: title, exact: true }).click();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 });
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([width, title, overflow]).toEqual([width, title, 0]);
    }
    await page.goto(`${page.url()}/settings`);
    await page.getByRole('button', { name: 'Delete this deployment' }).click();
    await page.getByLabel(/to confirm/).fill(search);
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).isEnabled()).toBe(true);
    await page.setViewportSize({ width: 1280, height: 860 });
  }
  expect(seen.complaints).toEqual([]);
});

it('a status that a later version has is shown by its name, and the page works', async () => {
  await expectApi(program, 'POST', '/v2/deployments', { ...empty, name: 'later' }, 201);
  const { page, seen } = await signedIn();
  await page.route('**/v2/deployments**', async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({ response, body: text.replaceAll(/"(?:UNUSED|SKIPPED)"/g, '"ROLLING_OUT"') });
  });
  await page.goto(at('deployments?name=later'));
  const row = page.getByRole('row', { name: /later/ });
  await row.getByText('Rolling out').first().waitFor();
  await row.getByRole('link', { name: 'later', exact: true }).click();
  await rowOf(page, 1).getByText('Rolling out').waitFor();
  await page.getByRole('link', { name: 'Revision 1', exact: true }).click();
  await page.getByRole('heading', { name: 'Revision 1' }).getByText('Rolling out').waitFor();
  expect(seen.complaints).toEqual([]);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
