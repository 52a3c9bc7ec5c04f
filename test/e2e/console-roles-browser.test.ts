import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { MemberRole } from '../../lib/contract/roles.ts';
import { type Installed, installed } from '../support/console/installed.ts';
import { expectNoBarrier, expectNoBarrierInDialogs } from '../support/console/look.ts';
import {
  create,
  deployed,
  expectApi,
  type Program,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** The installed program and a browser as people have it: who sees what, and whether everybody can. */
let program: Program;
let at: Installed['at'];
let signedIn: Installed['signedIn'];
let hello: ShownDeployment;

type Made = { id: string };
/** One thing of each kind that has a page. */
type Things = { listener: Made; webhook: Made; integration: Made };
let own: Things;

const post = (path: string, body: object, status: number, as: Program = program) =>
  expectApi<Made & { key: string }>(as, 'POST', path, body, status);

async function things(as: Program): Promise<Things> {
  const listener = {
    compute_type: 'k8s',
    compute_id: 'a-cluster',
    compute_config: { k8s_namespaces: ['a'] },
  };
  return {
    listener: await post('/v2/listeners', listener, 201, as),
    webhook: await post('/v2/webhooks', { url: 'http://localhost:9/hook', name: 'bot' }, 201, as),
    integration: await post(
      '/v2/integrations',
      { type: 'github', token: 'a-token', name: 'a host' },
      201,
      as,
    ),
  };
}

installed(
  async (here) => {
    ({ program, at, signedIn } = here);
    const repository = await here.repository();
    hello = await deployed(program, await create(program, 'hello', repository.url));
    own = await things(program);
    await post('/v2/members', { user_id: 'ada@example', role: 'viewer' }, 201);
    const url = 'http://localhost:9/oauth';
    const provider = { provider_id: 'calendar', name: 'The calendar', client_id: 'x', auth_url: url };
    await post('/v2/auth/providers', { ...provider, token_url: url, client_secret: 'a-secret' }, 200);
    const token = { provider_id: 'calendar', access_token: 'a-token', provider_account_label: 'ada' };
    const imported = await post('/v2/auth/tokens/import', token, 200);
    await post('/v2/auth/agents/assistant/connections', { oauth_token_id: imported.id }, 201);
  },
  { SLIPWAY_MORE_TENANTS: 'true' },
);

/** Opens a page, and waits until it has said all that it is going to. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(at(path));
  await page.locator('.role').waitFor({ state: 'attached' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await until(async () => (await page.locator('.skeleton').count()) === 0, {
    what: `${path} to be there`,
  });
}

const roles = ['viewer', 'developer', 'admin', 'organization_admin'] as const satisfies MemberRole[];
/** What stands on each page only from a role on. */
const pages = (): [path: string, from: number, shown: Record<string, number>][] => [
  ['listeners', 0, { 'New listener': 2 }],
  [`listeners/${own.listener.id}`, 0, { Change: 2, Delete: 2, 'Create its key': 2, 'Copy the command': 0 }],
  [
    'connections?agent=assistant',
    0,
    {
      'New provider': 3,
      'Add from an MCP server': 3,
      'Grant access': 1,
      Import: 1,
      Connect: 1,
    },
  ],
  [`connections/integrations/${own.integration.id}`, 2, { Change: 2, Delete: 2 }],
  ['webhooks', 2, { 'New webhook': 2 }],
  [`webhooks/${own.webhook.id}`, 2, { Test: 2, Disable: 2, 'Rotate secret': 2, Change: 2, Delete: 2 }],
  ['access', 2, { 'New key': 2, 'Add a member': 2, 'Remove ada@example': 2, 'New tenant': 3 }],
  ['audit', 2, { 'By me': 2 }],
];

it.each(roles)('the role %s sees what they may do, on every page', async (role) => {
  const rank = roles.indexOf(role);
  const { key } = await post('/v2/api-keys', { name: `of a ${role}`, role }, 201);
  const { page, seen } = await signedIn(key);
  const offered = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents();
  const forAll = ['Overview', 'Deployments', 'Activity', 'Topology', 'Listeners', 'Integrations'];
  expect(offered.map((each) => each.replace(/\d.*$/, '').trim()).slice(1, -1)).toEqual(
    rank < 2 ? forAll : [...forAll, 'Webhooks', 'Access', 'Audit log'],
  );
  for (const [path, from, shown] of pages()) {
    await open(page, path);
    const isClosed = await page.getByText('Your role does not include this page').isVisible();
    expect([path, isClosed]).toEqual([path, rank < from]);
    const buttons = page.getByRole('button');
    const expected = Object.keys(shown).filter((name) => (shown[name] ?? 9) <= rank);
    const found = async () => {
      const names = await buttons.evaluateAll((all) =>
        all.map((each) => each.getAttribute('aria-label') ?? each.textContent.trim()),
      );
      return Object.keys(shown).filter((name) => names.includes(name));
    };
    await until(async () => (await found()).length >= expected.length, { what: path });
    expect([path, await found()]).toEqual([path, expected]);
    expect([path, await page.getByRole('alert').allTextContents()]).toEqual([path, []]);
  }
  expect(seen.complaints).toEqual([]);
});

it('what is another tenant’s is not found', async () => {
  const asOrganization = { name: 'of all', role: 'organization_admin', scope: 'organization' };
  const { key } = await post('/v2/api-keys', asOrganization, 201);
  const other = await post('/v2/tenants', { name: 'other' }, 201);
  const made = await fetch(`${program.baseUrl}/v2/api-keys`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'x-tenant-id': other.id, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'of the other', role: 'admin' }),
  });
  const theirs = await things({ ...program, apiKey: ((await made.json()) as { key: string }).key });
  const { page } = await signedIn();
  for (const [path, what] of [
    [`listeners/${theirs.listener.id}`, `Listener ID ${theirs.listener.id} not found.`],
    [`webhooks/${theirs.webhook.id}`, `Webhook ID ${theirs.webhook.id} not found.`],
    [
      `connections/integrations/${theirs.integration.id}`,
      `Integration ID ${theirs.integration.id} not found.`,
    ],
  ] as const) {
    await page.goto(at(path));
    await page.getByRole('alert').getByText(what).waitFor();
    expect(await page.getByRole('button', { name: /Change|Delete/ }).count()).toBe(0);
  }
  await open(page, `audit?deployment=${crypto.randomUUID()}`);
  await page.getByText('No entry matches').waitFor();
});

it('no page has a barrier, in either theme, wide or narrow', async () => {
  const { page, seen } = await signedIn();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 860 });
    for (const [path] of pages()) {
      await open(page, path);
      await expectNoBarrier(page, `${path} at ${width}`);
    }
  }
  expect(seen.complaints).toEqual([]);
});

const dialogs = (): [path: string, dialogs: [button: string | RegExp, title: RegExp][]][] => [
  ['listeners', [['New listener', /New listener/]]],
  [
    `listeners/${own.listener.id}`,
    [
      ['Change', /Change a-cluster/],
      ['Delete', /Delete a-cluster/],
      ['Create its key', /New key of a-cluster/],
    ],
  ],
  [
    'connections?agent=assistant',
    [
      ['New provider', /New provider/],
      ['Add from an MCP server', /MCP server/],
      ['Change The calendar', /Change The calendar/],
      ['Delete The calendar', /Delete The calendar/],
      ['Grant access', /Grant access at The calendar/],
      ['Import', /Import a token/],
      ['Delete all', /Delete all your tokens/],
      [/Change the token/, /Change the token/],
      [/Delete the token/, /Delete the token/],
      ['Connect', /Connect assistant/],
      [/^Disconnect/, /Disconnect assistant/],
    ],
  ],
  [
    `connections/integrations/${own.integration.id}`,
    [
      ['Change', /Change a host/],
      ['Delete', /Delete a host/],
    ],
  ],
  ['webhooks', [['New webhook', /New webhook/]]],
  [
    `webhooks/${own.webhook.id}`,
    [
      ['Test', /Test bot/],
      ['Change', /Change bot/],
      ['Rotate secret', /Rotate the secret/],
      ['Disable', /Disable bot/],
      ['Delete', /Delete bot/],
    ],
  ],
  [
    'access',
    [
      ['New key', /New key/],
      [/^Revoke/, /Revoke/],
      ['Add a member', /Add a member/],
      [/^Change role/, /Change the role of ada/],
      [/^Remove/, /Remove ada/],
      ['New tenant', /New tenant/],
    ],
  ],
  [`deployments/${hello.id}`, [['Deploy latest', /Deploy the newest commit of main/]]],
  [`deployments/${hello.id}/settings`, [['Delete this deployment', /Delete hello/]]],
];

it('no dialog has a barrier, in either theme, and each gives the focus back', async () => {
  const { page, seen } = await signedIn();
  for (const [path, buttons] of dialogs()) {
    await open(page, path);
    await expectNoBarrierInDialogs(page, buttons);
  }
  await page.keyboard.press('?');
  await expectNoBarrier(page, 'the keys');
  // The host of the integration, whose repositories are listed there, is nowhere.
  expect(seen.complaints.filter((each) => !each.includes('status of 503'))).toEqual([]);
});

it('a dialog that closes leaves the focus where somebody has moved it since', async () => {
  const { page } = await signedIn();
  await open(page, `webhooks/${own.webhook.id}`);
  await page.getByRole('button', { name: 'Disable' }).press('Enter');
  await page.getByRole('dialog', { name: /Disable bot/ }).waitFor();
  // In one step, as a fast person does before the page has heard that the dialog is closed.
  await page.evaluate(
    "document.querySelector('dialog').close(); document.querySelector('.acts .danger').focus();",
  );
  await page.locator('dialog').waitFor({ state: 'detached' });
  const focused = await page.evaluate<string>('document.activeElement.textContent');
  expect(focused).toBe('Delete');
});
