import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { installed } from '../support/console/installed.ts';
import { expectNoBarrier } from '../support/console/look.ts';
import { choose } from '../support/console/person.ts';
import { chooseFor } from '../support/console/revisions.ts';
import { aReceiver, aWorker, expectNoSecret, type Receiver, type Worker } from '../support/console/work.ts';
import type { ShownDeployment } from '../support/programs/program.ts';

/** The installed program and a browser as people have it: connections and the audit. */
let receiver: Receiver;
let hello: ShownDeployment;
let worker: Worker;
let page: Page;
let button: Worker['button'];
let dialog: Worker['dialog'];
let send: Worker['send'];

afterAll(() => receiver?.close());
installed(async (here) => {
  receiver = await aReceiver();
  hello = await here.hello();
  worker = await aWorker(here);
  ({ page, button, dialog, send } = worker);
});

/** Whatever begins so is a secret that is typed, and is nowhere later. */
const CANARY = 'canary-of-a-secret';

it('a git host is connected unseen, with its steps on the page, and says what came from it', async () => {
  await page.goto(worker.at('connections'));
  await page.getByRole('link', { name: 'Connect a git host' }).click();
  await button('GitLab').click();
  await page.getByText('read_repository').first().waitFor();
  await button('GitHub').click();
  const link = page.getByRole('link', { name: 'Open the page for a new token' });
  expect(await link.getAttribute('href')).toContain(
    'https://github.com/settings/personal-access-tokens/new?',
  );
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoBarrier(page, `connect at ${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('textbox', { name: /^Name/ }).fill('our host');
  await page.getByRole('textbox', { name: /^Token/ }).fill(`${CANARY}-token`);
  await button('Connect GitHub').click();
  await dialog().getByText('Just the push event').waitFor();
  const secret = await worker.keepSecret();
  await page.getByRole('heading', { name: 'our host' }).waitFor();
  // Its host is not there for tests: that is said, and nothing is known of the token.
  await page.getByText('The token could not be tested').waitFor();
  const address = (await page.locator('pre.command').textContent()) ?? '';
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    after: 'a'.repeat(40),
    repository: {
      full_name: 'you/project',
      ssh_url: 'git@github.com:you/project.git',
      clone_url: 'https://github.com/you/project.git',
      html_url: 'https://github.com/you/project',
    },
  });
  const proof = createHmac('sha256', secret).update(body).digest('hex');
  const answer = await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': crypto.randomUUID(),
      'x-hub-signature-256': `sha256=${proof}`,
    },
    body,
  });
  expect(answer.status).toBe(200);
  await page.reload();
  await page.getByRole('row', { name: /push.*you\/project.*main/ }).waitFor();
  await button('Change').click();
  expect(
    await dialog()
      .getByLabel(/^Token/)
      .inputValue(),
  ).toBe('');
  await dialog().getByLabel(/^Name/).fill('our other host');
  await send('Save');
  await page.getByRole('heading', { name: 'our other host' }).waitFor();
  await button('Delete').click();
  await send('Delete');
  await page.getByText('No git host is connected').waitFor();
});

it('a provider is added, a token of it imported, and an agent connected to it', async () => {
  await page.goto(worker.at('connections?agent=assistant'));
  await button('New provider').click();
  await dialog()
    .getByLabel(/^Provider id/)
    .fill('calendar');
  await dialog().getByLabel(/^Name/).fill('The calendar');
  await dialog()
    .getByLabel(/^Client id/)
    .fill('slipway');
  await dialog()
    .getByLabel(/^Client secret/)
    .fill(`${CANARY}-client`);
  await dialog()
    .getByLabel(/^Authorization endpoint/)
    .fill(receiver.url);
  await dialog()
    .getByLabel(/^Token endpoint/)
    .fill(receiver.url);
  await send('Add');
  await page.getByRole('row', { name: /The calendar/ }).waitFor();
  await button('Change The calendar').click();
  expect(await dialog().getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await dialog().getByLabel(/^Name/).fill('A calendar');
  await send('Save');
  await button('Import').click();
  await dialog()
    .getByLabel(/^Access token/)
    .fill(`${CANARY}-access`);
  await dialog()
    .getByLabel(/^Scopes/)
    .fill('read write');
  await dialog()
    .getByLabel(/^Label/)
    .fill('ada');
  await send('Import');
  await page.getByRole('row', { name: /ada.*Active.*read write/ }).waitFor();
  await button('Connect').click();
  await choose(page, 'Your token of A calendar', 'ada read write');
  await send('Connect');
  await button('Disconnect ada').click();
  await send('Disconnect');
  await page.getByText('This agent acts with none of your tokens.').waitFor();
  await button('Grant access').click();
  await dialog()
    .getByLabel(/^Scopes/)
    .fill('read');
  await send('Go on');
  const link = dialog().getByRole('link', { name: 'Open the consent page' });
  expect(await link.getAttribute('href')).toContain('/v2/auth/begin/');
  await page.keyboard.press('Escape');
  await button('Delete the token ada').click();
  await send('Delete');
  await page.getByText('You have granted nothing there.').waitFor();
  await button('Delete A calendar').click();
  await send('Delete');
  await page.getByText('No OAuth provider is set up', { exact: true }).waitFor();
});

it('the audit says why, is filtered by the address, and leads to the deployment', async () => {
  await page.goto(worker.at(`deployments/${hello.id}`));
  await chooseFor(page, 1, /^Restart/);
  await dialog()
    .getByLabel(/^Reason/)
    .fill('because of a test');
  await send('Restart');
  await page.goto(worker.at('audit'));
  await page.getByRole('row', { name: /Revision deployed again.*hello.*because of a test/ }).waitFor();
  await choose(page, 'Action', 'Integration deleted');
  await page.waitForURL(/\?action=integration\.delete$/);
  await page.getByRole('row', { name: /Revision deployed again/ }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Integration deleted/ }).waitFor();
  await choose(page, 'Action', 'Any action');
  await choose(page, 'Deployment', 'hello');
  await page.getByRole('row', { name: /Integration deleted/ }).waitFor({ state: 'detached' });
  await page.getByLabel('From').fill('2099-01-01T00:00');
  await page.getByText('No entry matches').waitFor();
  expect([...new URL(page.url()).searchParams.keys()]).toEqual(['deployment', 'since']);
  await button('Clear the filters').click();
  await page.getByLabel('User id').fill('nobody');
  await page.getByText('No entry matches').waitFor();
  await button('By me').click();
  const row = page.getByRole('row', { name: /because of a test/ });
  await row.getByRole('link', { name: 'hello' }).click();
  await page.getByRole('heading', { name: 'hello' }).waitFor();
});

it('no secret is anywhere in the browser, and its policy had nothing to refuse', async () => {
  worker.secrets.push(CANARY);
  await expectNoSecret(worker, ['connections', 'audit']);
});
