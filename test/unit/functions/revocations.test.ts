import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { create } from '../../../functions/schedules/revocations.ts';
import { encryptBytes } from '../../../lib/adapters/envelope.ts';
import { clock, keys, table as ownTable } from '../../../lib/container.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { oauthProviderKey } from '../../../lib/store/keys/index.ts';
import { REVOCATIONS_DUE, revocationKey } from '../../../lib/store/keys/oauth.ts';
import type { Revocation } from '../../../lib/store/oauth/revocations.ts';
import { scriptedOAuth } from '../../support/oauth/scripted.ts';
import { mockTable } from '../../support/table/mocked-table.ts';
import { ids } from '../../support/table/stored-items.ts';
import { functionEnvironment } from './environment.ts';
import { aProvider } from './oauth-provider-cases.ts';

const table = mockTable();
const DATA_KEY = () => new Uint8Array(32).fill(7);
const provider = aProvider({ revocation_url: 'https://idp.example/revoke', sealed: undefined });
const revoked: string[] = [];
const oauth = { ...scriptedOAuth };
const handler = create(() => ({ table: ownTable(), clock, keys: keys(), oauth }));
const used = new Set<string>();

beforeAll(() => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
  mockClient(KMSClient)
    .on(DecryptCommand)
    .callsFake(async () => ({ Plaintext: DATA_KEY() }));
});
beforeEach(() => {
  table.reset();
  revoked.length = 0;
  oauth.revoke = async (_, token, hint) => {
    revoked.push(`${hint} ${token}`);
  };
  table.seed(oauthProviderKey(ids.organization, 'idp'), provider);
});
afterAll(() => vi.unstubAllEnvs());

function seedRevocation(changes: Partial<Revocation> = {}): void {
  const context = { tenant: ids.tenant, oauth_token: ids.token };
  const tokens = JSON.stringify({ access_token: 'access', refresh_token: 'refresh' });
  const item: Revocation = {
    v: 1,
    entity: 'oauth_revocation',
    tenant_id: ids.tenant,
    id: ids.task,
    token_id: ids.token,
    organization_id: ids.organization,
    provider_id: 'idp',
    provider_uid: provider.id,
    token_url: provider.token_url,
    sealed: `v1.AQ==.${encryptBytes(DATA_KEY(), Buffer.from(tokens), context).toString('base64url')}`,
    attempts: 0,
    created_at: Date.now(),
    ttl: 4_000_000_000,
    ...changes,
  };
  const due = { due_pk: REVOCATIONS_DUE, due_at: 1 };
  table.seed(revocationKey(ids.tenant, ids.token, ids.task), { ...item, ...due });
}

async function run() {
  const result = await handler();
  for (const word of table.used()) used.add(word);
  return result;
}

it('tells the provider of both tokens, and forgets them', async () => {
  seedRevocation();
  expect(await run()).toEqual({ looked: 1, failed: 0 });
  expect(revoked).toEqual(['refresh_token refresh', 'access_token access']);
  expect(table.written().map(({ Delete }) => Delete?.Key)).toEqual([
    revocationKey(ids.tenant, ids.token, ids.task),
  ]);
});

it('puts off what the provider does not take, and gives up after a day', async () => {
  oauth.revoke = () => Promise.reject(new Error('down'));
  seedRevocation({ attempts: 3 });
  const before = Date.now();
  expect(await run()).toEqual({ looked: 1, failed: 1 });
  const [written] = table.written();
  const dueAt = Object.values(written?.Update?.ExpressionAttributeValues ?? {}).map(Number);
  expect(Math.max(...dueAt)).toBeGreaterThanOrEqual(before + 8 * 60_000);
  seedRevocation({ created_at: before - 25 * 3_600_000 });
  await run();
  expect(table.written().at(-1)).toHaveProperty('Delete');
});

it.each([
  ['is gone', () => table.forget(oauthProviderKey(ids.organization, 'idp'))],
  ['is another one by now', () => seedRevocation({ provider_uid: ids.unknown })],
  ['has its tokens from elsewhere by now', () => seedRevocation({ token_url: 'https://old.example/token' })],
])('tells nothing to a provider that %s', async (_, given) => {
  seedRevocation();
  given();
  expect(await run()).toEqual({ looked: 1, failed: 0 });
  expect(revoked).toEqual([]);
});

it('has the access to the table that it uses, and no other', () => {
  const declared = functionRows.revocations.access.filter((word) => /^(table|due):/.test(word));
  expect([...used].toSorted()).toEqual(declared.toSorted());
});
