import { expect, it } from 'vitest';
import type { TokenEvent } from '../../../lib/contract/events.ts';
import { findOwnToken } from '../../../lib/core/items/oauth-tokens.ts';
import { freshAccessToken } from '../../../lib/core/oauth/fresh.ts';
import { openTokens } from '../../../lib/core/oauth/sealed-tokens.ts';
import { listAuditEvents } from '../../../lib/features/audit/list.ts';
import { listAuditEvents as auditRow } from '../../../lib/features/audit/routes.ts';
import { createConnection } from '../../../lib/features/oauth-connections/create.ts';
import { deleteToken } from '../../../lib/features/oauth-tokens/delete.ts';
import { importToken } from '../../../lib/features/oauth-tokens/import.ts';
import { importToken as importRow } from '../../../lib/features/oauth-tokens/routes.ts';
import { aGrant, aStoredProvider } from '../../support/oauth/grants.ts';
import { anOAuthProvider } from '../../support/oauth/provider.ts';
import { until } from '../../support/until.ts';
import { refusedWith } from '../../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';
import { allItems } from '../../support/world/world.ts';

const hears = (world: RunningWorld, count: number): Promise<TokenEvent[]> =>
  until(
    () => {
      const told = world.deps.events.publishedOfTokens();
      const once = told.filter(({ id }, index) => told.findIndex((each) => each.id === id) === index);
      return once.length >= count && once;
    },
    { what: `${count} events of tokens` },
  );

it('who follows tokens hears of their lives and of their connections, and never of a token itself', async () => {
  const world = await aRunningWorld();
  const { deps, caller } = world;
  const server = await anOAuthProvider();
  const provider = await aStoredProvider(world, server);
  const made = await aGrant(world, server, provider);
  const wish = { params: { agent_id: 'support' }, body: { oauth_token_id: made.id } };
  const { id: connectionId } = await createConnection(deps, wish, caller);
  world.advance(3601);
  const owner = { tenantId: caller.tenantId, ownerId: caller.userId };
  const current = async () => (await findOwnToken(deps.table, owner, made.id)) ?? made;
  const { token: renewed } = await freshAccessToken(deps, await current(), provider);
  await server.revokeGrants();
  world.advance(3601);
  expect(await refusedWith(freshAccessToken(deps, await current(), provider))).toMatch(/^409 token_expired/);
  await deleteToken(deps, { params: { token_id: made.id } }, caller);
  const events = await hears(world, 6);
  const ofToken = events.filter(({ connection_id }) => connection_id === undefined);
  expect(ofToken.map(({ type, sequence }) => [type, sequence])).toEqual([
    ['oauth_token.created', 1],
    ['oauth_token.renewed', 2],
    ['oauth_token.expired', 3],
    ['oauth_token.deleted', 3],
  ]);
  const ofConnection = events.filter(({ connection_id }) => connection_id === connectionId);
  expect(ofConnection.map(({ type }) => type)).toEqual(['connection.created', 'connection.deleted']);
  expect(ofConnection[0]).toEqual({
    id: `${connectionId}:created`,
    type: 'connection.created',
    sequence: 1,
    at: expect.any(String),
    tenant_id: caller.tenantId,
    token_id: made.id,
    provider_id: 'acme',
    connection_id: connectionId,
    agent_id: 'support',
  });
  for (const each of [made, renewed]) {
    const tokens = await openTokens(deps, { ...each, token_id: each.id });
    for (const canary of [tokens.access_token, tokens.refresh_token ?? ''])
      expect(JSON.stringify([events, world.records()])).not.toContain(canary);
  }
});

it('what nobody could be told of a token is kept, and told by the sweep; who asked for what is in the audit', async () => {
  const world = await aRunningWorld();
  const { deps, caller } = world;
  await aStoredProvider(world, await anOAuthProvider());
  const { publish } = deps.events;
  Object.assign(deps.events, { publish: async (events: unknown[]) => ({ events, reason: 'out of reach' }) });
  const body = importRow.body.parse({ provider_id: 'acme', access_token: 'a' });
  const { id } = await importToken(deps, { body }, caller);
  const unsent = async () =>
    (await allItems(deps.table)).filter(({ entity }) => entity === 'unsent_token_event');
  await until(async () => (await unsent()).length === 1, { what: 'a kept event' });
  await expect(world.sweep()).rejects.toThrow(/1 of 1/);
  Object.assign(deps.events, { publish });
  world.advance(61);
  expect(await world.sweep()).toMatchObject({ left: 0 });
  expect(deps.events.publishedOfTokens()).toMatchObject([{ type: 'oauth_token.created', token_id: id }]);
  expect(await unsent()).toEqual([]);
  const params = { token_id: id };
  await deleteToken(deps, { params }, caller);
  const listed = await until(
    async () => {
      const query = auditRow.query.parse({});
      const { resources } = await listAuditEvents(deps, { query }, caller);
      return resources.length >= 3 && resources;
    },
    { what: 'the audit' },
  );
  expect(
    listed.slice(0, 2).map(({ action, resource_id, user_id }) => [action, resource_id, user_id]),
  ).toEqual([
    ['oauth_token.delete', id, caller.userId],
    ['oauth_token.create', id, caller.userId],
  ]);
});
