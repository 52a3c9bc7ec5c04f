import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Installed, installed } from '../support/console/installed.ts';
import { expectNoBarrier } from '../support/console/look.ts';
import type { Person } from '../support/console/person.ts';
import { withNames, withTraffic } from '../support/console/plausible-traffic.ts';
import { rowOf } from '../support/console/revisions.ts';
import { smallPicture } from '../support/console/small-picture.ts';
import { type Agents, aTeam, type Team } from '../support/console/team.ts';

/** Ten pages of the console as a team sees them; with UPDATE_DOCS=1 each is taken for docs/console.md. */
let team: Team;
let at: Installed['at'];
let agents: Agents;
let person: Person;
let page: Page;

const folder = fileURLToPath(new URL('../../docs/pictures/console/', import.meta.url));
/** It is looked at so long after the last deploy, as the chart of the traffic has it. */
const SINCE_MS = 37 * 60_000;
const trust: Record<string, string> = {};

beforeAll(async () => {
  team = await aTeam();
  Object.assign(trust, team.trust);
});
afterAll(() => team.close());
installed(async (here) => {
  ({ at } = here);
  agents = await team.deploys(here.program);
  person = await here.signedIn();
  ({ page } = person);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.clock.setFixedTime(Date.now() + SINCE_MS);
  await withNames(page);
  await withTraffic(page, agents.support);
}, trust);

const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const ofSupport = (path: string) => at(`deployments/${agents.support.id}${path}`);

/** Finds no barrier on the page that is open, and takes it in both themes if pictures are asked for. */
async function expectPicture(name: string): Promise<void> {
  await expectNoBarrier(page, name);
  if (process.env.UPDATE_DOCS === undefined) return;
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await writeFile(`${folder}${name}-${colorScheme}.png`, await smallPicture(page));
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

it('the overview', async () => {
  await page.goto(at(''));
  await heading('Overview');
  await page
    .getByRole('region', { name: 'Needs attention' })
    .getByText(/invoice-extractor: revision 2/)
    .waitFor();
  await page
    .getByRole('row', { name: /support-agent/ })
    .getByText('184')
    .waitFor();
  await page.getByRole('complementary', { name: 'Activity' }).getByRole('listitem').first().waitFor();
  await expectPicture('overview');
});

it('a deployment', async () => {
  await page.goto(ofSupport(''));
  await heading('support-agent');
  await page.getByText('2 commits on main are not deployed.').waitFor();
  await page.getByText('3 of 3 ready').waitFor();
  await rowOf(page, 1).waitFor();
  await expectPicture('deployment');
});

it('a failed revision', async () => {
  await page.goto(at(`deployments/${agents.invoices.id}/revisions/${agents.invoices.latest_revision_id}`));
  await heading(/^Revision 2/);
  await page.getByText('Your users saw nothing: revision 1 still serves.').waitFor();
  await page
    .getByLabel('The lines that matter')
    .getByText(/error TS2322/)
    .first()
    .waitFor();
  await page.getByText('“Give amounts a type of their own”').waitFor();
  await expectPicture('failed-revision');
});

it('the revisions', async () => {
  await page.goto(ofSupport('/revisions'));
  await heading('support-agent');
  await rowOf(page, 3).getByText('Build failed').waitFor();
  await expectPicture('revisions');
});

it('a comparison', async () => {
  await page.goto(ofSupport('/compare?from=2&to=5'));
  await page.getByRole('row', { name: /^Commit / }).waitFor();
  await expectPicture('compare');
});

it('the metrics', async () => {
  await page.goto(ofSupport('/metrics'));
  await heading('support-agent');
  await page.getByRole('slider', { name: 'Time in the charts' }).first().waitFor();
  await expectPicture('metrics');
});

it('a new deployment', async () => {
  await page.goto(at('deployments/new'));
  await heading('New deployment');
  await page.getByRole('button', { name: /^Repository Choose/ }).click();
  await page.getByRole('option', { name: 'harbor/invoices' }).click();
  await page.getByText('Available.').waitFor();
  await page.getByText('asked for by .env.example').first().waitFor();
  await expectPicture('new-deployment');
});

it('the settings', async () => {
  await page.goto(ofSupport('/settings'));
  await heading('support-agent');
  await page.getByText('Nothing has changed yet.').waitFor();
  await expectPicture('settings');
});

it('a chat that waits for leave', async () => {
  await page.clock.setFixedTime(Date.now());
  await page.goto(ofSupport('/try'));
  await heading('support-agent');
  for (const text of ['Is the oak desk in stock?', 'Where is my parcel?']) {
    await say(text);
    await page.getByRole('log').getByText(`You said: ${text}`).waitFor();
    await page.locator('.chat-bar').getByText('Answering').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New thread' }).click();
  }
  await say('My lamp arrived broken. Order 20931. Can I get a refund?');
  await page.getByRole('form', { name: 'The agent asks before it calls send_refund' }).waitFor();
  await page.locator('.chat-bar').getByText('Waits for you').waitFor();
  await expectPicture('try');
});

async function say(text: string): Promise<void> {
  await page.getByLabel('Message support-agent').fill(text);
  await page.keyboard.press('Enter');
}

it('the topology', async () => {
  await page.goto(at('topology'));
  await heading('Topology');
  await page.getByRole('row', { name: /runs.*support-agent/ }).waitFor();
  await expectPicture('topology');
});

it('the browser had nothing to complain of', () => {
  expect([person.seen.complaints, person.seen.cookies]).toEqual([[], []]);
});
