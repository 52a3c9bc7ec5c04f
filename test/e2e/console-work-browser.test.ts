import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Installed, installed } from '../support/console/installed.ts';
import { heldBy } from '../support/console/look.ts';
import { barriersInBothThemes, type Person } from '../support/console/person.ts';
import { chooseFor, rowOf, serves } from '../support/console/revisions.ts';
import type { TestRepository } from '../support/files/git-repository.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  api,
  askServer,
  copyExample,
  create,
  deployed,
  deploymentOf,
  ended,
  expectApi,
  helloFrom,
  type Program,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** The installed program and a browser as people have it: what is done to deployments. */
let program: Program;
let at: Installed['at'];
let repository: TestRepository;
let person: Person;
let page: Page;

const SECRET = 'canary-value-of-a-secret';

installed(
  async (here) => {
    ({ program, at } = here);
    repository = await here.repository();
    person = await here.signedIn();
    ({ page } = person);
  },
  { SLIPWAY_BUILD_SECONDS: '86400' },
);

let hello: ShownDeployment;

it('a failed build is explained on the page, down to the line of its log', async () => {
  hello = await deployed(
    program,
    await create(program, 'hello', repository.url, { secrets: [{ name: 'GREETING', value: SECRET }] }),
  );
  const broken = await create(program, 'broken', repository.url, {
    source_config: { repo_url: repository.url, build_command: 'npm run no-such-script' },
  });
  expect((await ended(program, broken.id, broken.latest_revision_id)).status).toBe('BUILD_FAILED');
  await page.goto(at('deployments'));
  const row = page.getByRole('row', { name: /broken/ });
  await row.getByText('Build failed').waitFor();
  await row.getByText(/no-such-script/).waitFor();
  await page.getByRole('link', { name: 'hello', exact: true }).waitFor();
  await row.getByRole('link', { name: 'broken' }).click();
  await page.getByRole('link', { name: 'Revision 1', exact: true }).click();
  await page.getByText('`npm run no-such-script` exited with code 1').first().waitFor();
  await page.getByText('Nothing serves yet').waitFor();
  await page
    .getByLabel('The lines that matter')
    .getByText(/Missing script/)
    .waitFor();
  const line = page
    .locator('.lines .line')
    .filter({ hasText: /Missing script/ })
    .first();
  await line.waitFor();
  await page.getByRole('button', { name: /^Level/ }).click();
  await page.getByRole('option', { name: 'Errors' }).click();
  await until(async () => (await page.locator('.lines .INFO').count()) === 0, {
    what: 'errors alone',
  });
  await line.waitFor();
  expect(new URL(page.url()).searchParams.get('level')).toBe('ERROR');
  // A link to the line leads there, in another tab too.
  await line.getByRole('button').click();
  await page.waitForURL(/line=/);
  const other = await person.context.newPage();
  await other.goto(page.url());
  await other
    .locator('.lines .chosen')
    .filter({ hasText: /Missing script/ })
    .waitFor();
  await other.close();
});

it('rolls back in two clicks, after showing what that changes, while no request of a client is lost', async () => {
  await repository.commit(await helloFiles('v2'));
  hello = await deployed(
    program,
    await patch(program, hello.id, { source_revision_config: { repo_ref: 'main' } }),
  );
  let isCalling = true;
  const failures: unknown[] = [];
  let calls = 0;
  const client = (async () => {
    while (isCalling) {
      const answer = await askServer(hello).catch((error: unknown) => error);
      if (!(answer instanceof Response) || answer.status !== 200) failures.push(answer);
      else await answer.arrayBuffer();
      calls += 1;
    }
  })();
  await page.goto(at(`deployments/${hello.id}`));
  await chooseFor(page, 1, /^Roll back to 1/);
  const dialog = page.getByRole('dialog', { name: 'Roll back to revision 1?' });
  await dialog.getByRole('row', { name: /Commit/ }).waitFor();
  await dialog.getByRole('button', { name: 'Roll back' }).click();
  await rowOf(page, 3).getByText('Serving').waitFor();
  await rowOf(page, 2).getByText('Rolled back').waitFor();
  isCalling = false;
  await client;
  expect([failures, calls > 10]).toEqual([[], true]);
  await page
    .getByRole('img', { name: /to build, .* to deploy$/ })
    .first()
    .waitFor();
  expect(await barriersInBothThemes(page)).toEqual([]);
});

it('a reason is kept by the audit log', async () => {
  await page.goto(at(`deployments/${hello.id}`));
  await chooseFor(page, 3, /^Restart/);
  await page.getByLabel(/Reason/).fill('because of a test');
  await page.keyboard.press('Enter');
  await rowOf(page, 4).waitFor();
  const events = async () => (await api(program, 'GET', '/v2/audit-events?action=revision.redeploy')).body;
  await until(async () => JSON.stringify(await events()).includes('because of a test'), {
    what: 'the event',
  });
});

it('a revision that waits says for whom, and one at work is interrupted', async () => {
  const slow = await create(program, 'slow', repository.url, {
    source_config: { repo_url: repository.url, build_command: 'sleep 86399' },
  });
  await page.goto(at(`deployments/${slow.id}`));
  await rowOf(page, 1).getByText('Building').waitFor();
  await expectApi(program, 'POST', `/v2/deployments/${slow.id}/revisions`, {}, 201);
  await rowOf(page, 2).getByText('Waiting, 1st').waitFor();
  await page.getByRole('link', { name: 'Revision 2', exact: true }).click();
  await page.getByText(/^Waits for revision 1, building for \d+ (s|min)\.$/).waitFor();
  await page.goBack();
  for (const number of [2, 1]) {
    await chooseFor(page, number, /^Stop/);
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await rowOf(page, number).getByText('Stopped', { exact: true }).waitFor();
  }
});

it('a log of two hundred thousand lines is looked at, searched and followed', async () => {
  const long = await create(program, 'long', repository.url, {
    source_config: { repo_url: repository.url, build_command: 'seq 200000 && sleep 2' },
  });
  await page.goto(at(`deployments/${long.id}/revisions/${long.latest_revision_id}?log=build`));
  await page.locator('.lines .line').getByText('200000', { exact: true }).waitFor({ timeout: 240_000 });
  expect(await page.locator('.lines .line').count()).toBeLessThanOrEqual(5_000);
  await page.getByLabel('Lines that contain').fill('123456');
  await until(async () => (await page.locator('.lines .line').count()) === 1, {
    what: 'the one line',
  });
  await deployed(program, long);
});

it('a folder is deployed', async () => {
  const project = join(await temporaryFolder(), 'my-project');
  await copyExample(project);
  await page.goto(at('deployments/new'));
  await page.getByRole('button', { name: 'Folder', exact: true }).click();
  await page.getByLabel('Choose a folder').setInputFiles(project);
  await page.getByRole('textbox', { name: /^Name/ }).fill('from-a-folder');
  await page.getByRole('button', { name: 'Create and deploy' }).click();
  await serves(page, 2);
  const { resources } = await expectApi<{ resources: ShownDeployment[] }>(
    program,
    'GET',
    '/v2/deployments?name=from-a-folder',
    undefined,
    200,
  );
  const [made] = resources;
  expect(made && (await helloFrom(made)).version).toBe('v1');
});

it('what is wrong with a field is said at the field', async () => {
  await page.goto(at('deployments/new'));
  await page.getByLabel('Address of the repository').fill('https://user:password@git.example/x');
  await page.getByRole('textbox', { name: /^Name/ }).fill('wrong');
  await page.getByRole('button', { name: 'Create and deploy' }).click();
  const field = page.locator('.field', { hasText: 'Address of the repository' });
  await field.locator('.field-problem').waitFor();
  expect(page.url()).toBe(at('deployments/new'));
});

it('secrets are changed without being seen, and a change of somebody else is merged', async () => {
  await page.goto(at(`deployments/${hello.id}/settings`));
  await page.getByRole('button', { name: 'Add a secret' }).click();
  await page.getByLabel('Name of the secret').fill('TOKEN');
  await page.getByLabel('Value of TOKEN').fill(`${SECRET}-new`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(`${SECRET.length + 4} characters`).waitFor();
  expect(await heldBy(page)).not.toContain(SECRET);
  const mask = '**********';
  await patch(program, hello.id, {
    secrets: [
      { name: 'GREETING', value: mask },
      { name: 'OTHER', value: 'x'.repeat(12) },
    ],
  });
  await page.getByRole('button', { name: 'Save and deploy' }).click();
  await page.getByText('Somebody else has changed this deployment').waitFor();
  await page.getByRole('button', { name: 'Merge' }).click();
  await page.getByRole('button', { name: 'Actions for OTHER' }).waitFor();
  expect(await barriersInBothThemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save and deploy' }).click();
  await page.getByRole('heading', { name: /^Revision \d+/ }).waitFor();
  const after = await expectApi<{ secrets: { name: string }[] }>(
    program,
    'GET',
    `/v2/deployments/${hello.id}`,
    undefined,
    200,
  );
  expect(after.secrets.map(({ name }) => name).toSorted()).toEqual(['GREETING', 'OTHER', 'TOKEN']);
  await deployed(program, await deploymentOf(program, hello.id));
  expect((await helloFrom(await deploymentOf(program, hello.id))).greeting).toBe(SECRET);
});

it('a deployment is deleted by typing its name', async () => {
  const { resources } = await expectApi<{ resources: ShownDeployment[] }>(
    program,
    'GET',
    '/v2/deployments?name=broken',
    undefined,
    200,
  );
  await page.goto(at(`deployments/${resources[0]?.id}/settings`));
  await page.getByRole('button', { name: 'Delete this deployment' }).click();
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel(/to confirm/).fill('broken');
  await confirm.click();
  await page.waitForURL(/\/console\/deployments$/);
  await page.getByRole('link', { name: 'broken' }).waitFor({ state: 'detached' });
});

it('no secret is anywhere in the browser, and its policy had nothing to refuse', async () => {
  for (const path of ['deployments', `deployments/${hello.id}`, `deployments/${hello.id}/settings`]) {
    await page.goto(at(path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    const held = await page.evaluate<string>(
      'document.documentElement.outerHTML + JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state])',
    );
    expect([path, held.includes(SECRET)]).toEqual([path, false]);
  }
  expect(person.seen.addresses.filter((address) => address.includes(SECRET))).toEqual([]);
  expect([person.seen.complaints, person.seen.cookies]).toEqual([[], []]);
});
