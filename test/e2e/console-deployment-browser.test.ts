import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Answer, Revision } from '../../lib/client/endpoints.ts';
import { type Installed, installed } from '../support/console/installed.ts';
import { expectNoBarrier } from '../support/console/look.ts';
import type { Person } from '../support/console/person.ts';
import { chooseFor, rowOf, serves } from '../support/console/revisions.ts';
import type { TestRepository } from '../support/files/git-repository.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import {
  create,
  deployed,
  deploymentOf,
  expectApi,
  helloFrom,
  type Program,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** The page of a deployment: code is shipped from it, what failed is mended, and what runs is seen. */
let program: Program;
let at: Installed['at'];
let repository: TestRepository;
let person: Person;
let page: Page;
let hello: ShownDeployment;

installed(async (here) => {
  ({ program, at } = here);
  repository = await here.repository();
  hello = await deployed(program, await create(program, 'hello', repository.url));
  person = await here.signedIn();
  ({ page } = person);
});

const version = async (): Promise<unknown> =>
  (await helloFrom(await deploymentOf(program, hello.id))).version;

it('a new commit is deployed by Deploy latest, after saying which it is', async () => {
  await repository.commit(await helloFiles('v2'), 'Answer as version 2');
  await page.goto(at(`deployments/${hello.id}`));
  await page.getByText('1 commit on main is not deployed.').waitFor();
  await page.getByRole('button', { name: 'See the difference' }).click();
  await page.getByRole('dialog').getByText('Answer as version 2').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Deploy latest' }).click();
  const dialog = page.getByRole('dialog', { name: 'Deploy the newest commit of main?' });
  await dialog.getByText('Answer as version 2').waitFor();
  await dialog.getByText(/Revision 1 serves until the new one is ready/).waitFor();
  await expectNoBarrier(page, 'Deploy latest');
  // Nothing is typed in it, so the deed has the focus.
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Watch' }).click();
  await serves(page, 2);
  await page.getByText(/“Answer as version 2”/).waitFor();
  expect(await version()).toBe('v2');
});

it('a build that failed is found, mended by the next commit, and deployed', async () => {
  const script = `echo "error: there is no compiler" >&2; exit 1`;
  await repository.commit({ 'package.json': packageJson({ build: script }) }, 'Ask for a compiler');
  await patch(program, hello.id, { source_revision_config: { repo_ref: 'main' } });
  await page.goto(at(`deployments/${hello.id}`));
  await rowOf(page, 3).getByText('Build failed').waitFor();
  await page.getByRole('link', { name: 'Revision 3', exact: true }).click();
  await page.getByRole('heading', { name: '`npm run build` exited with code 1' }).waitFor();
  await page.getByText('Your users saw nothing: revision 2 still serves.').waitFor();
  await page.getByLabel('The lines that matter').getByText('error: there is no compiler').first().waitFor();
  await page.getByText('The branch has nothing newer than this commit yet').waitFor();
  await expectNoBarrier(page, 'a failed revision');
  await repository.commit(await helloFiles('v4'), 'Do without a compiler');
  await page.reload();
  await page.getByText('“Do without a compiler”').waitFor();
  await page.getByRole('button', { name: 'Deploy latest' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy latest' }).click();
  await serves(page, 4);
  expect(await version()).toBe('v4');
  await page.goBack();
  await page.getByText('Fixed: revision 4 serves').waitFor();
});

it('the revision that served before is run again by Roll back', async () => {
  await page.goto(at(`deployments/${hello.id}`));
  await page.getByRole('button', { name: 'Roll back' }).click();
  const dialog = page.getByRole('dialog', { name: 'Roll back to revision 2?' });
  await dialog.getByRole('row', { name: /Commit/ }).waitFor();
  // Another one is chosen there.
  await dialog.getByRole('button', { name: /^Revision: 2/ }).click();
  await page.getByRole('option', { name: /^1 · / }).click();
  const other = page.getByRole('dialog', { name: 'Roll back to revision 1?' });
  await other.getByLabel(/^Reason/).fill('answers were too long');
  await other.getByRole('button', { name: 'Roll back' }).click();
  await rowOf(page, 5).getByText('Serving').waitFor();
  await rowOf(page, 4).getByText('Rolled back').waitFor();
  expect(await version()).toBe('v1');
});

it('two revisions are compared: their commits, configuration, secrets and how long they took', async () => {
  await deployed(
    program,
    await patch(program, hello.id, {
      source_config: { build_command: 'true', resource_spec: { max_scale: 1 } },
      secrets: [{ name: 'GREETING', value: 'a-new-greeting' }],
      source_revision_config: { repo_ref: 'main' },
    }),
  );
  await page.goto(at(`deployments/${hello.id}/revisions`));
  await chooseFor(page, 2, 'Compare with 6');
  await page.waitForURL(/compare\?from=2&to=6$/);
  const row = (name: RegExp) => page.getByRole('row', { name });
  await row(/^Commit /).waitFor();
  await row(/^Build command none true/).waitFor();
  await row(/^Names of secrets none GREETING/).waitFor();
  await row(/^Resources: max_scale none 1/).waitFor();
  await row(/^In all \d/).waitFor();
  await expectNoBarrier(page, 'a comparison');
  await page.getByRole('button', { name: 'Swap' }).click();
  await row(/^Build command true none/).waitFor();
  await page.getByRole('button', { name: /^From revision/ }).click();
  await page.getByRole('option', { name: /^1 · / }).click();
  await page.waitForURL(/from=1&to=2$/);
  await page.getByRole('heading', { name: 'Revision 1' }).waitFor();
});

it('revisions are narrowed down by how they ended and by what made them', async () => {
  await page.goto(at(`deployments/${hello.id}/revisions`));
  await page.getByRole('button', { name: 'Failed', exact: true }).click();
  await page.waitForURL(/\?status=failed$/);
  await until(async () => (await page.locator('.rev').count()) === 1, { what: 'the one that failed' });
  await rowOf(page, 3).waitFor();
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.getByRole('button', { name: /^Made by/ }).click();
  await page.getByRole('option', { name: 'A roll back or restart' }).click();
  await until(async () => (await page.locator('.rev').count()) === 1, { what: 'the roll back' });
  await rowOf(page, 5).waitFor();
  await page.getByRole('button', { name: 'Stopped', exact: true }).click();
  await page.getByText('No revision was stopped by a roll back or restart').waitFor();
  await expectNoBarrier(page, 'no revision');
  await page.getByRole('button', { name: 'Clear filter' }).click();
  await until(async () => (await page.locator('.rev').count()) === 6, { what: 'all of them' });
});

/** Answers as if the deployment had five hundred revisions with long words, of which the third serves. */
async function withManyRevisions(): Promise<void> {
  const path = `/v2/deployments/${hello.id}`;
  const { resources } = await expectApi<{ resources: Revision[] }>(
    program,
    'GET',
    `${path}/revisions?status=DEPLOYED`,
    undefined,
    200,
  );
  const [one] = resources;
  if (one === undefined) throw new Error('nothing was deployed');
  const idOf = (number: number) => one.id.slice(0, -8) + number.toString(16).padStart(8, '0');
  const message = `Answer ${'in the language of the customer '.repeat(8)}`;
  const all = Array.from({ length: 500 }, (_, index): Revision => {
    const number = 500 - index;
    const commit = { message, author: `Somebody with ${'many '.repeat(20)}names`, at: one.created_at };
    return { ...one, id: idOf(number), number, commit, status: number > 3 ? 'BUILD_FAILED' : 'DEPLOYED' };
  });
  await page.route(`**${path}/revisions?*`, (route) => {
    const search = new URL(route.request().url()).searchParams;
    const [offset, limit] = [Number(search.get('offset')), Number(search.get('limit'))];
    return route.fulfill({ json: { resources: all.slice(offset, offset + limit), offset: offset + limit } });
  });
  await page.route(`**${path}/revisions/*`, (route) => route.fulfill({ json: all.at(-3) }));
  const deployment = await expectApi<object>(program, 'GET', path, undefined, 200);
  await page.route(`**${path}`, (route) =>
    route.fulfill({ json: { ...deployment, latest_revision_id: idOf(500), active_revision_id: idOf(3) } }),
  );
}

it('of five hundred revisions with long words, what serves is found', async () => {
  await withManyRevisions();
  await page.goto(at(`deployments/${hello.id}/revisions`));
  await rowOf(page, 500).getByText('Build failed').waitFor();
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 860 });
    await expectNoBarrier(page, `many revisions at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.getByRole('button', { name: 'Load more' }).click();
  await rowOf(page, 401).waitFor();
  await page.getByRole('button', { name: 'Jump to what serves' }).click();
  await rowOf(page, 3).getByText('Serving').waitFor();
  await until(
    () =>
      page.getByRole('link', { name: 'Revision 3', exact: true }).evaluate((each) => each.matches(':focus')),
    {
      what: 'the focus to be there',
    },
  );
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

type Metrics = Answer<'GET /v2/deployments/{deployment_id}/metrics'>;

/** The hour of a server that runs out of memory every minute since revision 6 serves. */
function restarting(revisionId: string): Metrics {
  const to = Math.floor(Date.now() / 60_000) * 60_000;
  const from = to - 3_600_000;
  const minutes = Array.from({ length: 60 }, (_, minute) => minute).filter((minute) => minute !== 5);
  const total = minutes.map((minute) => {
    const failed = minute >= 50 ? 10 : 0;
    return {
      at: new Date(from + minute * 60_000).toISOString(),
      requests: { all: 20, '1xx': 0, '2xx': 20 - failed, '3xx': 0, '4xx': 0, '5xx': failed, failed },
      latency: { count: 20, p50_ms: 40, p95_ms: 90, p99_ms: 120 },
      bytes_in: 1_000,
      bytes_out: 50_000,
      streams: 0,
      in_flight: 1,
      servers_wanted: 1,
      servers_ready: failed > 0 ? 0 : 1,
      restarts: failed > 0 ? [{ reason: 'out of memory', count: 1 }] : [],
      cpu_cores: 0.2,
      memory_bytes: 500e6,
      runs: null,
    };
  });
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step: 60,
    source: 'listener',
    missing: [{ what: 'runs', why: 'This server is none that tells of its runs.' }],
    now: {
      at: new Date(to).toISOString(),
      revision_id: revisionId,
      in_flight: 1,
      streams: 0,
      servers_wanted: 1,
      servers_ready: 0,
      cpu_cores: 0.2,
      cpu_limit: 1,
      memory_bytes: 500e6,
      memory_limit: 512e6,
      restarts_day: 10,
      last_restart: { at: new Date(to - 60_000).toISOString(), reason: 'out of memory' },
    },
    total,
    revisions: [],
    deploys: [{ revision_id: revisionId, number: 6, at: new Date(from + 50 * 60_000).toISOString() }],
  };
}

it('a server that keeps restarting is seen at once, and its charts are read by keyboard and as a table', async () => {
  const { active_revision_id: active } = await deploymentOf(program, hello.id);
  await page.route('**/metrics?*', (route) => route.fulfill({ json: restarting(active ?? '') }));
  await page.goto(at(`deployments/${hello.id}`));
  await page.getByRole('heading', { name: 'hello' }).getByText('Restarting').waitFor();
  const alert = page.getByRole('alert').filter({ hasText: 'keeps restarting' });
  await alert.getByText(/10 restarts in the last 15 minutes: out of memory\./).waitFor();
  await page.getByText('0 of 1 ready').waitFor();
  await page.getByText('500 MB of 512 MB').waitFor();
  const cursor = page.getByRole('slider', { name: 'Time in the charts' });
  await cursor.focus();
  const said = () => cursor.getAttribute('aria-valuetext');
  expect(await said()).toMatch(/^\d\d:\d\d\. Requests: 20; Errors: 50 %; p95: 90 ms|Slowest/);
  for (let press = 0; press < 15; press += 1) await page.keyboard.press('ArrowLeft');
  await until(async () => (await said())?.includes('Errors: 0 %') === true, {
    what: 'a minute before it began',
  });
  await page.keyboard.press('Home');
  for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowRight');
  await until(async () => (await said())?.includes('Requests: no data') === true, { what: 'the gap' });
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.getByRole('columnheader', { name: 'Errors' }).waitFor();
  await expectNoBarrier(page, 'a table of numbers');
  await page.getByRole('link', { name: 'Metrics' }).click();
  await page.getByText('This server is none that tells of its runs.').waitFor();
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 860 });
    await expectNoBarrier(page, `metrics at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.getByRole('button', { name: 'Week' }).click();
  await page.waitForURL(/\?span=week$/);
  await page.getByRole('link', { name: 'Revision 6 was deployed here' }).first().click();
  await page.getByRole('heading', { name: /^Revision 6/ }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

it('the browser had nothing to complain of', () => {
  expect([person.seen.complaints, person.seen.cookies]).toEqual([[], []]);
});
