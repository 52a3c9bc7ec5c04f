import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Installed, installed } from '../support/console/installed.ts';
import { barriersInBothThemes, type Person } from '../support/console/person.ts';
import {
  deployed,
  deploymentOf,
  expectApi,
  helloFrom,
  type Program,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';

/** The installed program and a browser as people have it: what a deployment is configured to be. */
let program: Program;
let at: Installed['at'];
let person: Person;
let page: Page;
let hello: ShownDeployment;

const SECRET = 'canary-value-of-a-secret';

installed(async (here) => {
  ({ program, at } = here);
  hello = await here.hello({ secrets: [{ name: 'GREETING', value: SECRET }] });
  person = await here.signedIn();
  ({ page } = person);
});

it('a rollback keeps the settings, and the page says that what serves has others', async () => {
  const first = hello.latest_revision_id;
  await patch(program, hello.id, { secrets: [{ name: 'GREETING', value: `${SECRET}-rotated` }] });
  await deployed(program, await deploymentOf(program, hello.id));
  const path = `/v2/deployments/${hello.id}/revisions/${first}/redeploy`;
  await deployed(program, await expectApi<ShownDeployment>(program, 'POST', path, undefined, 200));
  expect((await helloFrom(await deploymentOf(program, hello.id))).greeting).toBe(SECRET);
  await page.goto(at(`deployments/${hello.id}`));
  await page.getByText('What serves runs another configuration than this deployment has: secrets.').waitFor();
  expect(await barriersInBothThemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Deploy again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy' }).click();
  await page.getByText('What serves runs another configuration').waitFor({ state: 'detached' });
  await deployed(program, await deploymentOf(program, hello.id));
  expect((await helloFrom(await deploymentOf(program, hello.id))).greeting).toBe(`${SECRET}-rotated`);
});

it('what the service ignores of a change is said, until that is dismissed', async () => {
  const address = `**/v2/deployments/${hello.id}`;
  // A page of another release than the service is.
  await page.route(address, (route) => {
    const body: unknown = route.request().postDataJSON();
    return body === null
      ? route.continue()
      : route.continue({ postData: JSON.stringify({ ...Object(body), 'of later': 1, secret: [] }) });
  });
  await page.goto(at(`deployments/${hello.id}/settings`));
  await page.getByLabel(/^Install command/).fill('true');
  await page.getByRole('button', { name: 'Save and deploy' }).click();
  await page.getByText('of later, secret').waitFor();
  await page.getByRole('heading', { name: /^Revision \d+/ }).waitFor();
  expect(await barriersInBothThemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByText('of later, secret').waitFor({ state: 'detached' });
  await page.unroute(address);
  await deployed(program, await deploymentOf(program, hello.id));
});

it('removing the last secret removes it', async () => {
  await page.goto(at(`deployments/${hello.id}/settings`));
  await page.getByRole('button', { name: 'Actions for GREETING' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByText('Will be removed').waitFor();
  await page.getByRole('button', { name: 'Save and deploy' }).click();
  await page.getByRole('heading', { name: /^Revision \d+/ }).waitFor();
  const after = await deployed(program, await deploymentOf(program, hello.id));
  expect((await helloFrom(after)).greeting).toBeNull();
});
