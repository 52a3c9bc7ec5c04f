import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { installed } from '../support/console/installed.ts';
import { heldBy } from '../support/console/look.ts';
import { choose } from '../support/console/person.ts';
import {
  aReceiver,
  aWorker,
  clipboardOf,
  expectNoSecret,
  type Receiver,
  type Worker,
} from '../support/console/work.ts';
import { expectApi, type Program, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** The installed program and a browser as people have it: listeners, access and webhooks. */
let program: Program;
let receiver: Receiver;
let hello: ShownDeployment;
let worker: Worker;
let page: Page;
let button: Worker['button'];
let dialog: Worker['dialog'];
let send: Worker['send'];

afterAll(() => receiver?.close());
installed(
  async (here) => {
    receiver = await aReceiver();
    ({ program } = here);
    hello = await here.hello();
    worker = await aWorker(here);
    ({ page, button, dialog, send } = worker);
  },
  { SLIPWAY_MORE_TENANTS: 'true' },
);

it('a listener is registered, told how to start, changed and deleted', async () => {
  await page.getByRole('link', { name: 'Listeners', exact: true }).click();
  await page.getByRole('row', { name: /Online/ }).waitFor();
  await button('New listener').click();
  await choose(page, 'Runs agents', 'In a Kubernetes cluster');
  await dialog()
    .getByLabel(/^Name(?!space)/)
    .fill('my-cluster');
  await dialog().getByLabel('Namespaces').fill('not/one');
  await dialog().getByRole('button', { name: 'Register' }).click();
  await dialog().locator('.field', { hasText: 'Namespaces' }).locator('.field-problem').waitFor();
  await dialog().getByLabel('Namespaces').fill('agents, tools');
  await send('Register');
  await page.getByRole('heading', { name: 'my-cluster' }).waitFor();
  await page.getByText('It has never asked for work.').waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const command = (await page.locator('pre.command').textContent()) ?? '';
  expect([command.includes(id), command.includes("namespaces='{agents,tools}'")]).toEqual([true, true]);
  await button('Change').click();
  await dialog()
    .getByLabel(/Platforms/)
    .fill('linux/arm64');
  await dialog()
    .getByRole('button', { name: /^Pod security Baseline/ })
    .waitFor();
  await choose(page, 'Pod security', /^Privileged/);
  await send('Save');
  await page.getByText('linux/arm64').waitFor();
  await page.getByText('can become root on a node').waitFor();
  await button('Create its key').click();
  await send('Create');
  await worker.keepSecret();
  await button('Delete').click();
  expect(await dialog().getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
  await dialog()
    .getByLabel(/to confirm/)
    .fill('my-cluster');
  await send('Delete');
  await page.getByRole('row', { name: /Online/ }).waitFor();
  expect(await page.getByText('my-cluster').count()).toBe(0);
});

it('a listener says what runs there, and is not deleted while something does', async () => {
  await page.goto(worker.at('listeners'));
  await page
    .getByRole('row', { name: /Online/ })
    .getByRole('link')
    .click();
  await page.getByRole('row', { name: /hello.*Serving/ }).waitFor();
  await button('Delete').click();
  await dialog()
    .getByLabel(/to confirm/)
    .fill('local');
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await dialog().getByRole('alert').getByText('Request').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'hello' }).click();
  await page.getByRole('heading', { name: 'hello' }).waitFor();
  expect(page.url()).toBe(worker.at(`deployments/${hello.id}`));
});

it('a key is shown once, works, and is revoked', async () => {
  await page.goto(worker.at('access'));
  await button('New key').click();
  await dialog().getByLabel('Name').fill('for the pipeline');
  await choose(page, 'Role', 'Viewer');
  await button('Copy as curl').click();
  const command = await clipboardOf(page);
  expect(command).toContain('/v2/api-keys');
  // A session makes no key for so long.
  await choose(page, 'Valid for', 'A year');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await dialog()
    .getByText(/less than or equal to .* end within 90 days/)
    .first()
    .waitFor();
  await choose(page, 'Valid for', 'As long as allowed');
  await send('Create');
  expect(await dialog().textContent()).toMatch(/It works until \d/);
  const key = (await dialog().locator('.secret').textContent()) ?? '';
  expect(key).toMatch(/^slp_/);
  // Beside it is no way to lose it.
  await page.mouse.click(5, 5);
  expect(await worker.keepSecret()).toBe(key);
  expect(await clipboardOf(page)).toBe(key);
  expect((await heldBy(page)).includes(key)).toBe(false);
  await expectApi({ ...program, apiKey: key }, 'GET', '/v2/me', undefined, 200);
  await button('Revoke for the pipeline').click();
  await send('Revoke');
  await page.getByText('for the pipeline').waitFor({ state: 'detached' });
  await expectApi({ ...program, apiKey: key }, 'GET', '/v2/me', undefined, 401);
});

it('a member is added, given another role and removed; a tenant is made', async () => {
  await button('Add a member').click();
  await dialog().getByLabel('User id').fill('ada@example');
  await choose(page, 'Role', 'Developer');
  await send('Add');
  await page.getByRole('row', { name: /ada@example Developer/ }).waitFor();
  await button('Change role of ada@example').click();
  await choose(page, 'Role', /^Administrator$/);
  await send('Change');
  await page.getByRole('row', { name: /ada@example Administrator/ }).waitFor();
  await button('Remove ada@example').click();
  await send('Remove');
  await page.getByText('No members yet').waitFor();
  await button('New tenant').click();
  await dialog().getByLabel('Name').fill('second');
  await send('Create');
  await page.getByRole('row', { name: /^second/ }).waitFor();
  const { resources } = await expectApi<{ resources: unknown[] }>(
    program,
    'GET',
    '/v2/tenants',
    undefined,
    200,
  );
  expect(resources.length).toBe(2);
});

it('a webhook is made, tested, disabled by its receiver, enabled again and deleted', async () => {
  await page.goto(worker.at('webhooks'));
  await button('New webhook').click();
  await dialog().getByLabel('Address').fill('http://192.0.2.1/x');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await dialog().locator('.field', { hasText: 'Address' }).locator('.field-problem').waitFor();
  await dialog().getByLabel('Address').fill(receiver.url);
  await dialog().getByLabel('Name').fill('bot');
  await send('Create');
  await worker.keepSecret();
  await page.getByRole('heading', { name: 'bot' }).waitFor();
  await button('Test').click();
  await send('Send a test');
  await page.getByRole('row', { name: /webhook\.test.*Delivered.*204/ }).waitFor();
  await button('Send again: webhook.test').click();
  await send('Send again');
  // Others may come in between: a listener on a busy machine is offline for a moment.
  const tests = () => receiver.received.filter(({ type }) => type === 'webhook.test');
  await until(() => tests().length === 2, {
    what: () => `the same event again, of ${JSON.stringify(receiver.received)}`,
  });
  expect(new Set(tests().map(({ id }) => id)).size).toBe(1);
  receiver.answer(410);
  await expectApi(program, 'POST', `/v2/deployments/${hello.id}/revisions`, {}, 201);
  await page.locator('.reason').waitFor();
  await page
    .getByRole('row', { name: /Failed.*410/ })
    .first()
    .waitFor();
  receiver.answer(204);
  await button('Enable again').click();
  await choose(page, 'Which events', 'Every event after a number');
  await send('Enable');
  await page
    .getByRole('row', { name: /revision\.status_changed.*Delivered/ })
    .first()
    .waitFor();
  await button('Rotate secret').click();
  await send('Rotate secret');
  await worker.keepSecret();
  await button('Change').click();
  await dialog()
    .getByLabel(/revision\.status_changed/)
    .check();
  await send('Save');
  await page.locator('.facts').getByText('revision.status_changed').first().waitFor();
  await button('Delete').click();
  await send('Delete');
  await page.getByText('No webhooks yet').waitFor();
});

it('no secret is anywhere in the browser, and its policy had nothing to refuse', async () => {
  // Two keys, and two secrets of the webhook.
  expect(worker.secrets.map((secret) => secret.slice(0, 4)).toSorted()).toEqual([
    'slp_',
    'slp_',
    'whse',
    'whse',
  ]);
  await expectNoSecret(worker, ['access', 'listeners', 'webhooks']);
});
