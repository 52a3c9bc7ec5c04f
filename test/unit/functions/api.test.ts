import { readdir } from 'node:fs/promises';
import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { errors } from '../../../lib/contract/errors.ts';
import { errorCodesOf, validates } from '../../../lib/contract/openapi/errors.ts';
import { allows, roles } from '../../../lib/contract/roles.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import { routes } from '../../../lib/contract/routes.ts';
import type { Handler } from '../../../lib/http/exchange.ts';
import { apiEvent, type EventParts, lambdaContext } from '../../support/http/event.ts';
import { scriptContainer } from '../../support/oauth/scripted.ts';
import { ids, seedAll, seedKey } from '../../support/table/stored-items.ts';
import { cases, table } from './api-cases.ts';
import { functionEnvironment } from './environment.ts';

const throttled = new ProvisionedThroughputExceededException({ message: 'of table-name', $metadata: {} });

const guarded = routes.filter((row) => row.permission !== 'public');
/** Refusals and failures at the edge of a function; that each route succeeds is tried over HTTP, in test/integration/http. */
const tried = guarded.filter(({ operation }) => operation in cases);

const pathParameters = {
  deployment_id: ids.deployment,
  revision_id: ids.revision,
  listener_id: ids.listener,
  task_id: ids.task,
  integration_id: ids.integration,
  key_id: ids.key,
  member_id: ids.member,
  provider_id: 'idp',
  token_id: ids.token,
  agent_id: 'support',
  connection_id: ids.connection,
  auth_id: ids.auth,
};

async function call(row: RouteRow, parts: EventParts, apiKey?: string) {
  // Each handler file exports `handler`; the route table's own test says so.
  const { handler } = (await import(/* @vite-ignore */ `../../../${row.handler}`)) as { handler: Handler };
  const headers = { ...(apiKey !== undefined && { 'x-api-key': apiKey }), ...parts.headers };
  const event = apiEvent({ method: row.method, path: row.path, params: pathParameters, ...parts, headers });
  const answer = await handler(event, lambdaContext());
  expect(statusesOf(row)).toContain(answer.statusCode);
  return { ...answer, json: answer.body === undefined ? undefined : JSON.parse(answer.body) };
}

/** What the description of a route says it may answer. */
const statusesOf = (row: RouteRow): number[] => [
  row.success,
  ...(row.isPartial === undefined ? [] : [207]),
  ...(validates(row) ? [422] : []),
  ...errorCodesOf(row).map((code) => errors[code].status),
];

const roleFor = (row: RouteRow) =>
  roles.find((role) => row.permission === 'public' || allows(role, row.permission)) ?? 'admin';

const requestOf = (row: RouteRow): EventParts => cases[row.operation]?.request ?? {};

beforeAll(() => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
  return scriptContainer();
});
beforeEach(() => {
  table.reset();
  seedAll(table);
});
afterEach(() => vi.useRealTimers());
afterAll(() => vi.unstubAllEnvs());

it('every operation with cases is one of a route that asks for a credential', () => {
  expect(tried.map((row) => row.operation).sort()).toEqual(Object.keys(cases).sort());
});

it('every file of functions/api is the handler of a route, but the fallback', async () => {
  const files = (await readdir('functions/api', { recursive: true })).filter((name) => name.endsWith('.ts'));
  const handlers = new Set(routes.map((row) => row.handler.replace('functions/api/', '')));
  expect(files.filter((name) => !handlers.has(name))).toEqual(['fallback.ts']);
});

describe.each(tried.map((row) => [row.operation, row] as const))('%s', (operation, row) => {
  const { given, shows, also, fails } = cases[operation] ?? { fails: [] };

  it('succeeds', async () => {
    given?.();
    const answer = await call(row, requestOf(row), seedKey(table, roleFor(row)));
    expect(answer).toMatchObject({ statusCode: row.success, json: shows });
  });

  it.runIf(also !== undefined)('succeeds in its other way', async () => {
    also?.given();
    const answer = await call(row, also?.request ?? {}, seedKey(table, roleFor(row)));
    expect(answer).toMatchObject({ statusCode: row.success });
  });

  it.each(fails)('refuses %s with %i', async (_, statusCode, detail, when) => {
    given?.();
    when.given?.();
    const request = { ...requestOf(row), ...when.request };
    const answer = await call(row, request, seedKey(table, roleFor(row)));
    expect(answer).toMatchObject({ statusCode, json: { detail } });
  });

  it('refuses who has no key, a revoked or an expired one', async () => {
    const past = '2020-01-01T00:00:00.000Z';
    const keys = [
      undefined,
      'slp_wrong',
      seedKey(table, roleFor(row), { revoked_at: past }),
      seedKey(table, roleFor(row), { expires_at: past }),
    ];
    for (const key of keys) {
      const answer = await call(row, requestOf(row), key);
      expect(answer).toMatchObject({ statusCode: 401, json: { detail: 'Invalid or missing credentials' } });
    }
    expect(table.written()).toEqual([]);
  });

  it('refuses every role that has not its permission', async () => {
    const permission = row.permission === 'public' ? undefined : row.permission;
    for (const role of roles.filter((each) => permission !== undefined && !allows(each, permission))) {
      const answer = await call(row, requestOf(row), seedKey(table, role));
      const detail = `API key lacks permission '${permission}'`;
      expect(answer).toMatchObject({ statusCode: 403, json: { detail } });
    }
    expect(table.written()).toEqual([]);
  });

  it('says nothing of an error of the SDK', async () => {
    const key = seedKey(table, roleFor(row));
    table.breakWith(new Error('User arn:aws:iam::123456789012:role/x is not authorized on table-name'));
    const answer = await call(row, requestOf(row), key);
    expect(answer).toMatchObject({ statusCode: 500, body: '{"detail":"Internal server error"}' });
  });

  it('answers 503 with Retry-After while the table is throttled', async () => {
    const key = seedKey(table, roleFor(row));
    table.breakWith(throttled);
    const answer = await call(row, requestOf(row), key);
    expect(answer).toMatchObject({
      statusCode: 503,
      json: { detail: expect.stringMatching(/ does not answer at the moment; try again\.$/) },
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
  });
});

it.each(['createDeployment', 'patchDeployment', 'createListener', 'interruptRevision'])(
  '%s answers 503 when other writers never let it through',
  async (operation) => {
    const row = routes.find((each) => each.operation === operation);
    if (row === undefined) throw new Error(operation);
    const key = seedKey(table, 'admin');
    table.collideAlways();
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
    const asked = call(row, requestOf(row), key);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await asked).toMatchObject({
      statusCode: 503,
      json: { detail: 'The table does not answer at the moment; try again.' },
      headers: { 'retry-after': '2' },
    });
  },
);

it('a listener has no part in what belongs to another one', async () => {
  const key = seedKey(table, 'listener', { listener_id: ids.unknown });
  for (const row of guarded.filter((each) => each.permission === 'listener:work')) {
    const detail = `API key is not bound to listener '${ids.listener}'`;
    expect(await call(row, requestOf(row), key)).toMatchObject({ statusCode: 403, json: { detail } });
  }
});

describe('without a key', () => {
  it('GET /ok answers', async () => {
    const row = routes.find((each) => each.operation === 'getOk');
    expect(row && (await call(row, {}))).toMatchObject({ statusCode: 200, json: { ok: true } });
  });

  it('what no route takes is 404, or 405 where another method is known', async () => {
    const { handler } = await import('../../../functions/api/fallback.ts');
    const ask = (method: string, path: string) =>
      handler(apiEvent({ method, path, routeKey: '$default' }), lambdaContext());
    expect(await ask('GET', '/nowhere')).toMatchObject({ statusCode: 404, body: '{"detail":"Not found."}' });
    expect(await ask('PUT', '/v2/deployments')).toMatchObject({ statusCode: 405 });
  });
});
