import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/adapters/clock.ts';
import { authenticateCaller } from '../../../lib/core/identity/authenticate.ts';
import type { Table } from '../../../lib/store/table.ts';
import { commandLine } from '../../support/programs/command-line.ts';
import { dynamoDbEndpoint, freshTable } from '../../support/table/dynoxide.ts';
import { keys } from '../../support/world/identity-requests.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { allItems, aWorld } from '../../support/world/world.ts';

const program = fileURLToPath(new URL('../../../bin/slipway.ts', import.meta.url));
const run = promisify(execFile);

/** A command on a table, in this process. */
const on = (table: Table, ...args: string[]) =>
  commandLine([...args, '--table', table.name], { open: async () => ({ table, close: () => undefined }) });

describe('admin bootstrap', () => {
  it('makes a key that its tenant can work with, from the program, with the SDK’s own credentials and address', async () => {
    const table = await freshTable();
    const args = ['admin', 'bootstrap', '--table', table.name, '--region', 'eu-west-1', '--json'];
    const environment = {
      PATH: process.env.PATH,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDbEndpoint(),
    };
    const { stdout, stderr } = await run(process.execPath, [program, ...args], { env: environment });
    expect(stderr).toBe('');
    const made = JSON.parse(stdout);
    expect(Object.keys(made)).toEqual(['organization_id', 'tenant_id', 'user_id', 'api_key']);
    const caller = await authenticateCaller(
      { table, clock: systemClock },
      { apiKey: made.api_key, tenantId: undefined },
    );
    expect(caller).toMatchObject({
      tenantId: made.tenant_id,
      userId: made.user_id,
      role: 'organization_admin',
    });
    const world = await aWorld();
    const theirs = { deps: { ...world.deps, table }, caller };
    await register(theirs, 'machine');
    expect((await post(theirs, github('a'))).tenant_id).toBe(made.tenant_id);
  });

  it('shows names, ids and the key as text, and keeps the names', async () => {
    const table = await freshTable();
    const made = await on(table, 'admin', 'bootstrap', '--organization', 'acme', '--tenant', 'ml');
    expect(made.code).toBe(0);
    expect(made.out).toMatch(
      /^Organization {2}acme \([0-9a-f-]{36}\)\nTenant {8}ml \([0-9a-f-]{36}\)\nAPI key {7}slp_\w{49}$/,
    );
    expect(made.err).toMatch(/shown this once/);
    const named = (await allItems(table)).filter(({ entity }) => !String(entity).startsWith('api_key'));
    const names = named.flatMap(({ name }) => (name === undefined ? [] : [name]));
    expect(new Set(names)).toEqual(new Set(['acme', 'ml']));
  });
});

describe('admin create-key', () => {
  it('makes a key of a new user for a tenant that is there, in any role, and lists it', async () => {
    const { deps } = await aWorld();
    const { out } = await on(deps.table, 'admin', 'bootstrap', '--json');
    const first = JSON.parse(out);
    const command = ['admin', 'create-key', '--json', '--tenant-id', first.tenant_id, '--role'];
    const made = await on(deps.table, ...command, 'admin', '--name', 'second');
    expect([made.code, made.err]).toEqual([0, '']);
    const { api_key: apiKey, ...shown } = JSON.parse(made.out);
    expect(shown).toEqual({ tenant_id: first.tenant_id, role: 'admin', user_id: expect.any(String) });
    expect(shown.user_id).not.toBe(first.user_id);
    const caller = await authenticateCaller(deps, { apiKey, tenantId: undefined });
    expect(caller).toMatchObject({ role: 'admin', tenantId: first.tenant_id, userId: shown.user_id });
    expect((await keys({ deps, caller })).resources.map(({ name }) => name)).toEqual(['second', 'first key']);
  });

  it('makes one of the whole organization', async () => {
    const { deps } = await aWorld();
    const { out } = await on(deps.table, 'admin', 'bootstrap', '--json');
    const { tenant_id: tenantId, organization_id: organizationId } = JSON.parse(out);
    const command = ['admin', 'create-key', '--tenant-id', tenantId, '--role', 'organization_admin'];
    const made = await on(deps.table, ...command, '--organization-wide');
    expect(made.err).toMatch(/shown this once.*X-Tenant-Id/);
    const apiKey = /slp_\w{49}/.exec(made.out)?.[0];
    expect(await authenticateCaller(deps, { apiKey, tenantId })).toMatchObject({ organizationId, tenantId });
    await expect(authenticateCaller(deps, { apiKey, tenantId: undefined })).rejects.toThrow(
      'requires workspace specification',
    );
  });

  it('says when there is no such tenant', async () => {
    const { deps } = await aWorld();
    const id = deps.clock.randomId();
    const made = await on(deps.table, 'admin', 'create-key', '--tenant-id', id, '--role', 'admin');
    expect(made).toEqual({ code: 1, out: '', err: `Tenant ID ${id} not found.` });
  });
});

describe('admin create-listener-key', () => {
  it('makes a key that opens this listener’s routes and no other', async () => {
    const { deps } = await aWorld();
    const { out } = await on(deps.table, 'admin', 'bootstrap', '--json');
    const { api_key: apiKey, tenant_id: tenantId } = JSON.parse(out);
    const admin = await authenticateCaller(deps, { apiKey, tenantId: undefined });
    const listener = await register({ deps, caller: admin }, 'machine');
    const command = ['admin', 'create-listener-key', '--json', '--listener-id', listener.id, '--tenant-id'];
    const { code, out: made } = await on(deps.table, ...command, tenantId);
    expect(code).toBe(0);
    const caller = await authenticateCaller(deps, { apiKey: JSON.parse(made).api_key, tenantId: undefined });
    expect(caller).toMatchObject({ role: 'listener', listenerId: listener.id, tenantId });
    expect(caller.userId).not.toBe(admin.userId);
    const elsewhere = await on(deps.table, ...command, deps.clock.randomId());
    expect(elsewhere).toEqual({ code: 1, out: '', err: `Listener ID ${listener.id} not found.` });
  });
});

it('a table that is not there is said to be missing, and the program ends with 1', async () => {
  const environment = {
    PATH: process.env.PATH,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDbEndpoint(),
  };
  const args = [program, 'admin', 'bootstrap', '--table', 'no-such-table'];
  const failure = await run(process.execPath, args, { env: environment }).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^There is no table 'no-such-table'/),
  });
});

describe('first-agent', () => {
  it('makes nothing when its folder is not there, and says which option names it', async () => {
    const table = await freshTable();
    const place = ['--url', 'http://127.0.0.1:9', '--project', '/nowhere/at-all'];
    const { code, err } = await on(table, 'first-agent', ...place);
    expect([code, err]).toEqual([
      1,
      'There is no folder /nowhere/at-all; give the project to deploy with --project.',
    ]);
    expect(await allItems(table)).toEqual([]);
  });
});
