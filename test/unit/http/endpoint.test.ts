import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { systemClock } from '../../../lib/adapters/clock.ts';
import { refuse } from '../../../lib/contract/errors.ts';
import { type RouteInput, type RouteRow, route } from '../../../lib/contract/routes/route.ts';
import { id, queryInt } from '../../../lib/contract/validation/query.ts';
import { RELEASE_VERSION } from '../../../lib/contract/version.ts';
import type { Caller } from '../../../lib/core/caller.ts';
import { unkeyed } from '../../../lib/core/idempotency.ts';
import { endpoint, publicEndpoint } from '../../../lib/http/endpoint.ts';
import { loggedAuditLog } from '../../../lib/http/notes.ts';
import { apiEvent, type EventParts, lambdaContext } from '../../support/http/event.ts';
import { aCaller } from '../../support/world/caller.ts';

const ID = '0190a000-0000-7000-8000-00000000000a';

const NOSNIFF = { 'x-content-type-options': 'nosniff' };

const common = {
  area: 'core',
  permission: 'deployments:write',
  success: 200,
  summary: 'Test',
  access: ['table:get'],
} as const;

const patchThing = route({
  ...common,
  operation: 'patchThing',
  method: 'PATCH',
  path: '/things/{thing_id}',
  handler: 'functions/api/things/patch.ts',
  audit: ['deployment.change'],
  params: z.object({ thing_id: id }),
  query: z.object({ limit: queryInt({ min: 1 }).default(20) }),
  body: z.object({ name: z.string(), count: z.int().optional() }),
  response: z.object({ id: z.string(), name: z.string() }),
  headers: (output: { version: number }) => ({ ETag: `"${output.version}"` }),
});

const getThing = route({
  ...common,
  operation: 'getThing',
  method: 'GET',
  path: '/things/{thing_id}',
  handler: 'functions/api/things/get.ts',
  response: z.object({ logs: z.array(z.object({ id: z.string() })) }),
  headers: (output: { version: number }) => ({ ETag: `"${output.version}"` }),
  eventStream: { list: 'logs', id: 'id' },
});

const deps = {
  table: { client: DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'us-east-1' })), name: 'test' },
  clock: systemClock,
};

type Setup = { useCase?: (...given: unknown[]) => Promise<unknown>; authenticate?: () => Promise<Caller> };

function handlerOf(
  row: RouteRow,
  { useCase = async () => undefined, authenticate = async () => aCaller() }: Setup = {},
) {
  // A row whose type is forgotten promises no output; what the chain does with any output is what is tested.
  const run = (given: typeof deps, input: RouteInput<RouteRow>, caller: Caller) =>
    useCase(given, input, caller) as Promise<undefined>;
  const handler = endpoint(row, run, { authenticate })(() => deps);
  return (parts: EventParts) => handler(apiEvent(parts), lambdaContext());
}

const goodPatch = { method: 'PATCH', params: { thing_id: ID }, body: { name: 'n', unknown: 1 } };

describe('an endpoint', () => {
  it('gives the use case parsed parts, meaningful headers and the caller, and answers through the schema', async () => {
    const useCase = vi.fn(async () => ({ id: ID, name: 'n', version: 7, secret: 'never leaves' }));
    const answer = await handlerOf(patchThing, { useCase })({
      ...goodPatch,
      params: { thing_id: ID.toUpperCase() },
      query: { limit: '', other: 'x' },
      headers: { 'if-match': '"6"', 'x-api-key': 'k' },
      requestId: 'r-1',
    });
    expect(answer).toEqual({
      statusCode: 200,
      headers: {
        ETag: '"7"',
        'content-type': 'application/json',
        'x-request-id': 'r-1',
        'X-Slipway-Version': RELEASE_VERSION,
        'X-Slipway-Ignored': 'unknown',
        ...NOSNIFF,
      },
      body: JSON.stringify({ id: ID, name: 'n' }),
    });
    expect(useCase).toHaveBeenCalledExactlyOnceWith(
      { ...deps, auditLog: loggedAuditLog, idempotency: unkeyed },
      {
        params: { thing_id: ID },
        query: { limit: 20 },
        body: { name: 'n' },
        headers: { ifMatch: '"6"' },
        requestId: 'r-1',
        baseUrl: 'https://api.example.com',
        sourceAddress: '127.0.0.1',
      },
      aCaller({ requestId: 'r-1' }),
    );
  });

  it('reports all problems of path, query and body at once', async () => {
    const useCase = vi.fn(async () => undefined);
    const answer = await handlerOf(patchThing, { useCase })({
      method: 'PATCH',
      params: { thing_id: 'x' },
      query: { limit: '0' },
      body: { count: 'x' },
    });
    expect(answer.statusCode).toBe(422);
    expect(JSON.parse(answer.body ?? '').detail).toEqual([
      {
        loc: ['path', 'thing_id'],
        type: 'uuid_parsing',
        msg: 'Input should be a valid UUID, invalid character: found `x` at 1',
        input: 'x',
        ctx: { error: 'invalid character: found `x` at 1' },
      },
      {
        loc: ['query', 'limit'],
        type: 'greater_than_equal',
        msg: 'Input should be greater than or equal to 1',
        input: 0,
        ctx: { ge: 1 },
      },
      { loc: ['body', 'name'], type: 'missing', msg: 'Field required' },
      { loc: ['body', 'count'], type: 'int_type', msg: 'Input should be a valid integer', input: 'x' },
    ]);
    expect(useCase).not.toHaveBeenCalled();
  });

  it('says which fields it ignores, also where it refuses, and nothing of who is not known', async () => {
    const body = { nme: 'canary', id: ID, count: 1, 'a, b': { c: 'canary' } };
    const refused = await handlerOf(patchThing)({ ...goodPatch, body });
    // What its answer has, a client may send back.
    expect([refused.statusCode, refused.headers?.['X-Slipway-Ignored']]).toEqual([422, 'nme, a%2C%20b']);
    const useCase = async () => Promise.reject(refuse('deployment_not_found', { id: ID }));
    const missing = await handlerOf(patchThing, { useCase })(goodPatch);
    expect([missing.statusCode, missing.headers?.['X-Slipway-Ignored']]).toEqual([404, 'unknown']);
    const clean = await handlerOf(patchThing, { useCase })({
      ...goodPatch,
      body: { name: 'n', other: null },
    });
    expect(clean.headers).not.toHaveProperty('X-Slipway-Ignored');
    const unknown = async () => Promise.reject(refuse('unauthenticated', {}));
    const unread = await handlerOf(patchThing, { authenticate: unknown })(goodPatch);
    expect([unread.statusCode, unread.headers]).toEqual([
      401,
      expect.not.objectContaining({ 'X-Slipway-Ignored': expect.anything() }),
    ]);
  });

  it('asks who is there before what they may, and that before what they say', async () => {
    const broken = { method: 'PATCH', params: { thing_id: 'x' }, body: '{' };
    const unknown = async () => Promise.reject(refuse('unauthenticated', {}));
    const viewer = async () => aCaller({ role: 'viewer' });
    expect(await handlerOf(patchThing, { authenticate: unknown })(broken)).toMatchObject({ statusCode: 401 });
    expect(await handlerOf(patchThing, { authenticate: viewer })(broken)).toMatchObject({ statusCode: 403 });
    const detail = [expect.objectContaining({ type: 'json_invalid' })];
    const said = await handlerOf(patchThing)(broken);
    expect([said.statusCode, JSON.parse(said.body ?? '')]).toEqual([
      422,
      { detail, code: 'validation_error' },
    ]);
  });

  it.each(['[]', '"text"', 'null', '7'])(
    'says of a body that is %s, beside all else, that it is no object',
    async (body) => {
      const answer = await handlerOf(patchThing)({ method: 'PATCH', params: { thing_id: 'x' }, body });
      const { detail } = JSON.parse(answer.body ?? '');
      expect(answer.statusCode).toBe(422);
      expect(detail).toContainEqual({
        loc: ['body'],
        type: 'model_attributes_type',
        msg: 'Input should be a valid dictionary or object to extract fields from',
        input: JSON.parse(body),
      });
      expect(detail).toContainEqual(expect.objectContaining({ loc: ['path', 'thing_id'] }));
    },
  );

  it('refuses half of a surrogate pair wherever it stands, and says where', async () => {
    const half = '\ud83d';
    const answer = await handlerOf(patchThing)({
      method: 'PATCH',
      params: { thing_id: half },
      query: { limit: '1', other: `a${half}` },
      headers: { 'if-match': half },
      body: { name: 'n', unknown: [{ a: half }, { [`k${half}`]: 1 }, '😀'] },
    });
    expect(answer.statusCode).toBe(422);
    const { detail } = JSON.parse(answer.body ?? '') as { detail: { loc: unknown; type: string }[] };
    expect(detail.map(({ loc, type }) => [loc, type])).toEqual(
      [
        ['path', 'thing_id'],
        ['query', 'other'],
        ['header', 'if-match'],
        ['body', 'unknown', 0, 'a'],
        ['body', 'unknown', 1, 'k\ufffd'],
      ].map((loc) => [loc, 'string_unicode']),
    );
    expect(answer.body).not.toMatch(/\\ud83d/i);
  });

  it('repeats no half of one in any other refusal', async () => {
    const useCase = async () => Promise.reject(refuse('oauth_provider_not_found', { providerId: '\ud83d' }));
    expect(await handlerOf(patchThing, { useCase })(goodPatch)).toMatchObject({
      statusCode: 404,
      body: '{"detail":"OAuth provider \'\ufffd\' not found.","code":"oauth_provider_not_found"}',
    });
  });

  it('reads no body of anybody that it has not asked for', async () => {
    const { body: _, ...rest } = patchThing;
    const open = route({ ...rest, permission: 'public', access: [] });
    const useCase = async () => ({ id: ID, name: 'n', version: 1 });
    const handler = publicEndpoint(open, useCase)(() => ({}));
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const body = '['.repeat(1024 * 1024);
    const answer = await handler(
      apiEvent({ method: 'PATCH', params: { thing_id: ID }, body }),
      lambdaContext(),
    );
    expect([answer.statusCode, parse.mock.calls]).toEqual([200, []]);
  });

  it('marks every answer with the request’s id and our version', async () => {
    const unknown = async () => Promise.reject(refuse('unauthenticated', {}));
    const answer = await handlerOf(patchThing, { authenticate: unknown })({ requestId: 'r-9' });
    expect(answer.headers).toMatchObject({ 'x-request-id': 'r-9', 'X-Slipway-Version': RELEASE_VERSION });
  });

  it('passes the credentials to authentication and nothing else', async () => {
    const authenticate = vi.fn(async () => aCaller());
    const headers = { 'x-api-key': 'k', 'x-tenant-id': 't', authorization: 'Bearer b', cookie: 'c' };
    await handlerOf(patchThing, { authenticate })({ ...goodPatch, headers });
    const credentials = { apiKey: 'k', tenantId: 't', authorization: 'Bearer b' };
    expect(authenticate).toHaveBeenCalledWith(deps, credentials, { note: expect.any(Function) });
  });

  it('answers 500 for an output that its schema does not allow', async () => {
    const useCase = vi.fn(async () => ({ id: 7, version: 1 }));
    expect(await handlerOf(patchThing, { useCase })(goodPatch)).toMatchObject({
      statusCode: 500,
      body: '{"detail":"Internal server error","code":"internal"}',
    });
  });

  it('answers 500 when its dependencies cannot be made', async () => {
    const failing = () => {
      throw new Error('no table');
    };
    const handler = endpoint(patchThing, vi.fn(), { authenticate: async () => aCaller() })(failing);
    expect(await handler(apiEvent(goodPatch), lambdaContext())).toMatchObject({ statusCode: 500 });
  });

  it('answers 304 to a GET for the version that the client has', async () => {
    const useCase = vi.fn(async () => ({ logs: [], version: 3 }));
    const get = handlerOf(getThing, { useCase });
    const unchanged = await get({ headers: { 'if-none-match': 'W/"2", W/"3"' } });
    expect(unchanged).toMatchObject({ statusCode: 304, headers: { ETag: '"3"' } });
    expect(unchanged).not.toHaveProperty('body');
    expect(await get({ headers: { 'if-none-match': '"2"' } })).toMatchObject({ statusCode: 200 });
  });

  it('tells a hundred problems at most', async () => {
    const row = route({ ...patchThing, body: z.object({ names: z.array(z.string()) }) });
    const answer = await handlerOf(row)({
      ...goodPatch,
      body: { names: Array.from({ length: 5000 }, () => 1) },
    });
    expect(JSON.parse(answer.body ?? '').detail).toHaveLength(100);
  });

  it('has no body where there is nothing to say', async () => {
    const { headers: _, ...rest } = getThing;
    const row = route({ ...rest, method: 'DELETE', audit: { none: 'a test' }, success: 204, response: null });
    expect(await handlerOf(row)({ method: 'DELETE' })).toEqual({
      statusCode: 204,
      headers: { 'x-request-id': 'request-1', 'X-Slipway-Version': RELEASE_VERSION, ...NOSNIFF },
    });
  });
});
