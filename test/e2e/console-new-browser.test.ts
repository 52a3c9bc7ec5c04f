import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Installed, installed } from '../support/console/installed.ts';
import { expectNoBarrier, heldBy } from '../support/console/look.ts';
import { serves } from '../support/console/revisions.ts';
import { aWorker, type Worker } from '../support/console/work.ts';
import { gitRepositoryIn, type TestRepository } from '../support/files/git-repository.ts';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { type GitHostServer, serveGitHost } from '../support/programs/git-host-server.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  deployed,
  deploymentOf,
  expectApi,
  helloFrom,
  type Program,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** A new agent and its settings, as somebody makes them who has no terminal. */
let folder: string;
let host: GitHostServer;
let source: TestRepository;
let program: Program;
let unused: Installed['unused'];
let worker: Worker;
let page: Page;
let made: ShownDeployment;

const TOKEN = 'canary-token-of-the-host';
const SECRET = 'canary-value-of-a-secret';
const trust: Record<string, string> = {};

beforeAll(async () => {
  folder = await newFolder();
  source = await gitRepositoryIn(
    await newFolder(),
    await helloFiles('v1', { '.env.example': '# What it says.\nGREETING=\n' }),
  );
  source.git('clone', '--quiet', '--bare', '.', join(folder, 'harbor/Greeter.git'));
  source.git('remote', 'add', 'origin', join(folder, 'harbor/Greeter.git'));
  host = await serveGitHost(folder, { token: TOKEN, repositories: ['harbor/other', 'harbor/Greeter'] });
  trust.NODE_EXTRA_CA_CERTS = host.certificate;
  trust.GIT_SSL_CAINFO = host.certificate;
});
afterAll(async () => {
  await host.close();
  await removeFolder(folder);
  await removeFolder(source.folder);
});
installed(async (here) => {
  ({ program, unused } = here);
  const integration = { type: 'gitea', host: host.host, name: 'our host', token: TOKEN };
  await expectApi(program, 'POST', '/v2/integrations', integration, 201);
  worker = await aWorker(here);
  ({ page } = worker);
}, trust);

const nameField = () => page.getByRole('textbox', { name: /^Name/ });
const bar = () => page.locator('.form-bar');

/** As by Ctrl V, whatever has the focus. */
async function paste(text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+v');
}

async function chooseRepository(): Promise<void> {
  await page.goto(worker.at('deployments/new'));
  await page.getByRole('button', { name: /^Repository Choose/ }).click();
  await page.getByRole('option', { name: 'harbor/Greeter' }).click();
}

it('a private repository is chosen, and says what it holds and asks for before anything is made', async () => {
  await chooseRepository();
  const found = page.getByRole('region', { name: 'What was found' });
  await found.getByText('server.js').or(found.getByText('package.json')).first().waitFor();
  await found.getByText('Asks for 1 secret, it is missing').waitFor();
  await page.getByRole('button', { name: /^Branch.*main/ }).waitFor();
  await bar().getByText('1 secret is missing.').waitFor();
  const head = source.git('rev-parse', 'HEAD').slice(0, 10);
  await bar().getByText(`Builds main at ${head}`).waitFor();
  await page.getByText('asked for by .env.example').waitFor();
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoBarrier(page, `new at ${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(host.requests.some((request) => request.endsWith('nobody'))).toBe(false);
});

it('a pasted .env file becomes secrets that are nowhere on the page, line by line', async () => {
  await page.getByLabel('Paste secrets as a .env file').focus();
  await paste(`export GREETING="${SECRET}" # for all\nno value\nLOG_JSON=1\nLONG="a\nb"`);
  await page.getByText('3 secrets were taken over.').waitFor();
  await page.getByText('Line 2 was left out. It has no “=” between a name and a value.').waitFor();
  await page.getByText(`${SECRET.length} characters`).waitFor();
  await page.getByText('3 characters, 2 lines').waitFor();
  expect(await heldBy(page)).not.toContain(SECRET);
  // What the platform sets itself would be refused, so it is said before.
  await page.getByText('Slipway sets this variable itself').waitFor();
  for (const name of ['LOG_JSON', 'LONG']) {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
  }
  await page.getByText('Asks for 1 secret, it is there').waitFor();
  await bar().getByText('1 secret is missing.').waitFor({ state: 'detached' });
  // The field is gone with the line that was begun, and the next line is a key away.
  const add = page.getByRole('button', { name: 'Add a secret' });
  await add.press('Enter');
  await page.getByLabel('Name of the secret').press('Escape');
  await until(() => add.evaluate((each) => each.matches(':focus')), { what: 'the focus to be back' });
});

it('a name is suggested, corrected while it is typed, and another one offered where it is taken', async () => {
  await unused('greeter-u-1');
  await until(async () => (await nameField().inputValue()) === 'greeter', { what: 'the suggested name' });
  await nameField().fill('Greeter Ü 1');
  expect(await nameField().inputValue()).toBe('greeter-u-1');
  await page.getByText('There is a deployment called greeter-u-1.').waitFor();
  expect(await bar().getByRole('button', { name: 'Create and deploy' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Use greeter-u-2' }).click();
  await page.getByText('Available.').waitFor();
});

it('the agent is made with its secret, and answers', async () => {
  await bar().getByRole('button', { name: 'Create and deploy' }).click();
  await serves(page, 1);
  const { resources } = await expectApi<{ resources: ShownDeployment[] }>(
    program,
    'GET',
    '/v2/deployments?name=greeter-u-2',
    undefined,
    200,
  );
  const [found] = resources;
  if (found === undefined) throw new Error('it was not made');
  made = found;
  expect((await helloFrom(made)).greeting).toBe(SECRET);
});

it('settings that count at once make no revision, and the others say which commit they build or start', async () => {
  await source.commit(await helloFiles('v2', { '.env.example': 'GREETING=\n' }));
  source.git('push', '--quiet', 'origin', 'main');
  const first = source.git('rev-parse', 'HEAD~1').slice(0, 10);
  const second = source.git('rev-parse', 'HEAD').slice(0, 10);
  await page.goto(worker.at(`deployments/${made.id}/settings`));
  await bar().getByText('Nothing has changed yet.').waitFor();
  await page.getByLabel(/^Display name/).fill('The greeter');
  await bar().getByText('This counts at once and makes no revision. Revision 1 goes on serving.').waitFor();
  await bar().getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved. It applies from now on.').waitFor();
  await bar().getByText('Nothing has changed yet.').waitFor();
  expect((await deploymentOf(program, made.id)).latest_revision_id).toBe(made.latest_revision_id);
  await page.getByRole('button', { name: 'Actions for GREETING' }).click();
  await page.getByRole('menuitem', { name: 'Replace the value' }).click();
  await page.getByLabel('Value of GREETING').fill(`${SECRET}-2`);
  await page.keyboard.press('Enter');
  await bar().getByText(`Starts ${first} of revision 1 again`).waitFor();
  await page.getByRole('button', { name: 'Add a variable' }).click();
  await page.getByLabel('Name of the variable').fill('MODE');
  await page.getByLabel('Value of MODE').fill('fast');
  await bar().getByText(`Builds main at ${second}`).waitFor();
  await bar().getByText('Revision 1 serves until the new one answers.').waitFor();
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoBarrier(page, `settings at ${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await bar().getByRole('button', { name: 'Save and deploy' }).click();
  await serves(page, 2);
  const after = await deployed(program, await deploymentOf(program, made.id));
  expect(await helloFrom(after)).toMatchObject({ greeting: `${SECRET}-2`, version: 'v2' });
});

it('the host that it came from is tested, and says what it deploys', async () => {
  await page.goto(worker.at('connections'));
  await page.getByRole('link', { name: 'our host' }).click();
  await page.getByRole('button', { name: 'Test now' }).click();
  await page.getByText('The token sees repositories').waitFor();
  await page.getByText('Of lena.').waitFor();
  // It was connected without a secret, and so takes no deliveries.
  await page.getByText('Pushes are refused until a webhook secret is stored').waitFor();
  const row = page.getByRole('listitem').filter({ hasText: 'greeter-u-2' });
  await row.getByText('Each push is deployed').waitFor();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoBarrier(page, `integration at ${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await row.getByRole('link', { name: 'greeter-u-2' }).click();
  await page.getByRole('heading', { level: 1, name: 'The greeter' }).waitFor();
});

it('a browser that has seen all of it holds no secret', async () => {
  for (const path of ['deployments', `deployments/${made.id}/settings`, 'deployments/new']) {
    await page.goto(worker.at(path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    const held = await heldBy(page);
    expect([path, held.includes(SECRET), held.includes(TOKEN)]).toEqual([path, false, false]);
  }
  expect([worker.seen.complaints, worker.seen.cookies]).toEqual([[], []]);
});
