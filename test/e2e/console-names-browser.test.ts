import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { installed } from '../support/console/installed.ts';
import { expectApi, type Program, type ShownDeployment } from '../support/programs/program.ts';

/** Names that turn the order of what is read: everywhere they are seen as what they are. */
let program: Program;
let page: Page;
let id: string;

const name = (what: string) => `${what}\u202Egnp\u2066x\u200F\u061C`;
const shown = (what: string) => String.raw`${what}\u202egnp\u2066x\u200f\u061c`;

installed(async (here) => {
  ({ program } = here);
  ({ page } = await here.signedIn());
  const made = await expectApi<ShownDeployment>(
    program,
    'POST',
    '/v2/deployments',
    {
      name: 'agent',
      display_name: name('deployment'),
      source: 'github',
      source_config: { repo_url: 'https://git.invalid/agent' },
      source_revision_config: { repo_ref: name('ref') },
    },
    201,
  );
  id = made.id;
  const integration = { type: 'gitea', name: name('integration'), host: 'git.invalid', token: 't' };
  await expectApi(program, 'POST', '/v2/integrations', integration, 201);
  await expectApi(program, 'POST', '/v2/api-keys', { name: name('key'), role: 'viewer' }, 201);
  const webhook = { name: name('webhook'), url: 'https://hooks.invalid/x' };
  await expectApi(program, 'POST', '/v2/webhooks', webhook, 201);
});

/** What is read or heard of a page: texts, the words for those who cannot see, and the tab's title. */
const SEEN = `JSON.stringify([
  document.title,
  document.documentElement.textContent,
  [...document.querySelectorAll('[aria-label], [title], [placeholder]')].map((each) =>
    ['aria-label', 'title', 'placeholder'].map((name) => each.getAttribute(name))),
])`;

async function expectShown(path: string, what: string): Promise<void> {
  await page.goto(`${program.baseUrl}/console/${path}`);
  await page.getByText(shown(what)).first().waitFor();
  const seen = await page.evaluate<string>(SEEN);
  expect([path, seen.match(/[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/g)]).toEqual([path, null]);
}

it('no name turns what stands beside it, on any page', async () => {
  await expectShown('deployments', 'deployment');
  await expectShown(`deployments/${id}`, 'deployment');
  await page.getByText(shown('ref')).first().waitFor();
  await expectShown(`deployments/${id}/settings`, 'deployment');
  await expectShown('access', 'key');
  expect(await page.getByRole('button', { name: `Revoke ${shown('key')}` }).count()).toBe(1);
  await expectShown('webhooks', 'webhook');
  await page.getByText(shown('webhook')).first().click();
  await page.getByRole('heading', { level: 1, name: shown('webhook') }).waitFor();
  // A page has its title a moment after its heading.
  await expect.poll(() => page.title()).toContain(shown('webhook'));
  await expectShown('connections', 'integration');
});
