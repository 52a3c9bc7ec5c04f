import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { EventListView } from '../../lib/features/events/shape.ts';
import { type Installed, installed } from '../support/console/installed.ts';
import { aLink, aPerson } from '../support/console/person.ts';
import { rowOf } from '../support/console/revisions.ts';
import { gitRepositoryIn } from '../support/files/git-repository.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import { waitInShell } from '../support/programs/gate.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import { create, deploymentOf, expectApi, type Program } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** How the console learns of what happens: by the feed of events, and by nothing else. */
let program: Program;
let browser: Browser;
let make: Installed['unused'];

const STILL = 15_000;
const MOVING = 2_000;
const row = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

/** Waits until the feed has an event, after which nothing more comes by itself. */
async function published(wanted: (event: EventListView['resources'][number]) => boolean): Promise<void> {
  const feed = () => expectApi<EventListView>(program, 'GET', '/v2/events', undefined, 200);
  await until(async () => (await feed()).resources.some(wanted), { what: 'the event' });
}

// It is the sweep that finds the listener online, which the feed tells.
installed(
  async (here) => {
    ({ program, browser, unused: make } = here);
    await published(({ type }) => type === 'listener.online');
  },
  { SLIPWAY_SWEEP_SECONDS: '1' },
);

/** A page whose clock the test moves on, with what it asks of the API; it has caught up with the feed. */
async function watched(path: string): Promise<{ page: Page; asked: string[] }> {
  const { page } = await aPerson(browser);
  await page.clock.install();
  await page.goto(await aLink(program));
  await page.getByRole('heading', { name: 'Deployments' }).waitFor();
  await page.goto(`${program.baseUrl}/console/${path}`);
  await page.locator('.role').waitFor();
  const asked: string[] = [];
  const open = new Set<object>();
  page.on('request', (request) => {
    open.add(request);
    const { pathname, search } = new URL(request.url());
    asked.push(pathname + search);
  });
  const closed = (request: object) => open.delete(request);
  page.on('requestfinished', closed).on('requestfailed', closed);
  await page.clock.runFor(MOVING);
  await until(
    () => asked.some((each) => each.includes('/v2/events?newest')) && asked.length > 1 && open.size === 0,
    {
      what: 'the page to know where the feed stands',
    },
  );
  asked.length = 0;
  return { page, asked };
}

const isOfFeed = (address: string) => address.startsWith('/v2/events?');

/** Lets so much time pass as often, and waits each time for the request for news that is due then. */
async function pass(page: Page, asked: string[], milliseconds: number, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const before = asked.filter(isOfFeed).length;
    await page.clock.runFor(milliseconds);
    await until(() => asked.filter(isOfFeed).length > before, {
      what: 'a look at the feed',
    });
  }
}

it('where nothing happens nothing is asked but the feed; what it names appears by itself', async () => {
  const { id } = await make('first');
  await published(
    (event) => 'deployment_id' in event && event.deployment_id === id && event.status === 'SKIPPED',
  );
  const { page, asked } = await watched('deployments');
  await row(page, 'first').waitFor();
  await pass(page, asked, STILL, 5);
  expect(asked.filter((each) => !isOfFeed(each))).toEqual([]);
  asked.length = 0;
  await make('second');
  await until(
    async () => {
      await page.clock.runFor(STILL);
      return row(page, 'second').isVisible();
    },
    { what: 'the new deployment' },
  );
  const others = asked.filter((each) => !isOfFeed(each));
  // What needs somebody is counted beside the pages, wherever somebody is.
  const expected = (each: string) => each.startsWith('/v2/deployments?') || each === '/v2/attention';
  expect(others.filter((each) => !expected(each))).toEqual([]);
});

it('while something moves the feed is asked every two seconds, and what moved is shown to its end', async () => {
  const folder = await temporaryFolder();
  const [source, gate] = [join(folder, 'agent'), join(folder, 'gate')];
  await mkdir(source);
  const files = await helloFiles('v1', { 'build.sh': waitInShell(gate) });
  const repository = await gitRepositoryIn(source, files);
  const moving = await create(program, 'moving', repository.url, {
    source_config: { repo_url: repository.url, build_command: 'sh build.sh' },
  });
  const { page, asked } = await watched(`deployments/${moving.id}`);
  await rowOf(page, 1).getByText('Building').waitFor();
  await pass(page, asked, MOVING, 2);
  await writeFile(gate, '');
  await until(
    async () => {
      await page.clock.runFor(MOVING);
      return rowOf(page, 1).getByText('Serving').isVisible();
    },
    { what: 'the deployment to serve' },
  );
  await page.getByRole('heading', { name: 'moving' }).getByText('Serving').waitFor();
  const { custom_url } = (await deploymentOf(program, moving.id)).source_config;
  await page.locator(`.addr a[href^="${custom_url}"]`).first().waitFor();
});

it('a tab that nobody sees asks for nothing, and catches up when it is seen again', async () => {
  const { page, asked } = await watched('deployments');
  const see = (isHidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
       document.dispatchEvent(new Event('visibilitychange'));`,
    );
  await see(true);
  asked.length = 0;
  await make('unseen');
  await page.clock.runFor(10 * STILL);
  expect(asked).toEqual([]);
  await see(false);
  await row(page, 'unseen').waitFor();
});

it('where the feed has lost what came between, and where it is another one, everything is asked again', async () => {
  const { page, asked } = await watched('deployments');
  await page.route(
    '**/v2/events?*',
    (route) => route.fulfill({ json: { resources: [], after: 1_000_000, missed: 7 } }),
    { times: 1 },
  );
  await pass(page, asked, STILL, 1);
  await until(() => asked.some((each) => each.startsWith('/v2/deployments?')), {
    what: 'the list to be asked again',
  });
  asked.length = 0;
  // No event has this number here, as after the table was restored.
  await pass(page, asked, STILL, 2);
  await until(() => asked.some((each) => each.startsWith('/v2/deployments?')), {
    what: 'the list to be asked again',
  });
  // By itself it looks once more a while after.
  expect(asked.some((each) => isOfFeed(each) && each.includes('newest=true'))).toBe(true);
});
