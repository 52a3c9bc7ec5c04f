import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientOf, json, keysIn, lost, passing, refusalOf, waited } from '../../support/client/answered.ts';

const LOGS = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what is sent', () => {
  it('a request goes to its row’s address, below the path of the API, with what it carries', async () => {
    const { client, sent } = clientOf([json({ resources: [], offset: 0 })]);
    await client.ask('GET /v2/deployments', {
      query: { name: 'a b', status: ['READY', 'UNUSED'], remote_reconciled: false, image_version: '' },
    });
    expect(sent[0]?.address).toBe(
      'https://slipway.example/api/v2/deployments?name=a+b&status=READY%2CUNUSED&remote_reconciled=false',
    );
    expect(sent[0]?.headers.get('X-Api-Key')).toBe('key');
    expect(keysIn(sent)).toEqual([null]);
  });

  it('ids are encoded, and times are sent as ISO 8601', async () => {
    const { client, sent } = clientOf([json({ logs: [], next_offset: null })]);
    const query = { type: 'build', start_time: new Date(0) } as const;
    await client.ask(LOGS, { params: { deployment_id: '../x', revision_id: 'b?c' }, query });
    expect(sent[0]?.address).toContain(
      '/v2/deployments/..%2Fx/revisions/b%3Fc/logs?type=build&start_time=1970-01-01T00%3A00%3A00.000Z',
    );
  });

  it('a token is sent with the tenant that it picks; without credentials there is no header', async () => {
    const { client, sent } = clientOf([json({})], { credentials: { token: 'jwt', tenantId: 'tenant' } });
    await client.ask('GET /v2/me', {});
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({
      authorization: 'Bearer jwt',
      'x-tenant-id': 'tenant',
    });
    const other = clientOf([json({})], { credentials: {} });
    await other.client.ask('GET /v2/sign-in', {});
    expect([...(other.sent[0]?.headers.keys() ?? [])]).toEqual(['accept']);
  });

  it('other credentials are asked for once where those are refused', async () => {
    const answers = [json({ detail: 'no' }, 401), json({ user_id: 'me' }), json({}, 401), json({}, 401)];
    const given = vi.fn((isRefused: boolean) => ({ token: isRefused ? 'new' : 'old' }));
    const { client, sent } = clientOf(answers, { credentials: given, triesMax: 1 });
    expect(await client.ask('GET /v2/me', {})).toEqual({ user_id: 'me' });
    expect(sent.map(({ headers }) => headers.get('Authorization'))).toEqual(['Bearer old', 'Bearer new']);
    expect((await refusalOf(client.ask('GET /v2/me', {}))).status).toBe(401);
    expect(sent).toHaveLength(4);
  });
});

describe('asking again', () => {
  it('a change is sent again under the same key while what keeps it from an answer may pass', async () => {
    const underWay = json({ detail: 'in progress', code: 'idempotency_under_way' }, 409);
    const { client, sent } = clientOf([lost(), passing(), underWay, json({ id: 'one' }, 201)]);
    const body = { name: 'a', source_config: {}, source_revision_config: {} };
    const made = client.ask('POST /v2/deployments', { body });
    await waited(made);
    expect(await made).toEqual({ id: 'one' });
    expect(sent).toHaveLength(4);
    expect(new Set(keysIn(sent)).size).toBe(1);
    expect(keysIn(sent)[0]).toMatch(/^\d+(?:-\d+){3}$/);
  });

  it('what the service would do twice is sent again only if it was turned away', async () => {
    const body = { name: 'ci', role: 'developer' } as const;
    const first = clientOf([lost()]);
    expect((await refusalOf(first.client.ask('POST /v2/api-keys', { body }))).status).toBe(0);
    const second = clientOf([json({}, 429), json({ id: 'key' }, 201)]);
    const made = second.client.ask('POST /v2/api-keys', { body });
    await waited(made);
    expect(await made).toEqual({ id: 'key' });
    expect(keysIn(second.sent)).toEqual([null, null]);
  });

  it('waits as long as the service says, and a little more, which is never the same', async () => {
    const { client } = clientOf([passing({ 'Retry-After': '7' }), json({})]);
    const milliseconds = await waited(client.ask('GET /v2/me', {}));
    expect(milliseconds).toBeGreaterThan(7_000);
    expect(milliseconds).toBeLessThan(8_000);
  });

  it('in the end the last refusal counts; others are not asked again', async () => {
    const { client, sent } = clientOf([passing(), passing(), json({ detail: 'gone' }, 404)]);
    const asked = client.ask('GET /v2/me', {});
    await waited(asked);
    expect(await refusalOf(asked)).toMatchObject({ status: 404, detail: 'gone' });
    const never = clientOf([lost(), lost()], { triesMax: 2 });
    const unheard = never.client.ask('GET /v2/me', {});
    await waited(unheard);
    expect(await refusalOf(unheard)).toMatchObject({
      status: 0,
      detail: 'https://slipway.example/api/ does not answer: connect ECONNREFUSED.',
    });
    expect([sent.length, never.sent.length]).toEqual([3, 2]);
  });

  it('who gives up while it waits is told so at once', async () => {
    const gone = new AbortController();
    const { client, sent } = clientOf([passing({ 'Retry-After': '60' })]);
    const asked = client.ask('GET /v2/me', {}, { signal: gone.signal });
    const outcome = asked.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    gone.abort(new Error('enough'));
    expect(await outcome).toMatchObject({ message: 'enough' });
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('what is refused', () => {
  it('a refusal has status, code, words, fields and request id', async () => {
    const detail = [
      { loc: ['body', 'source_config', 'repo_url'], msg: 'Field required', type: 'missing' },
      { loc: ['body'], msg: 'Too many', type: 'value_error' },
    ];
    const answer = json({ detail, code: 'validation' }, 422, { 'X-Request-Id': 'request' });
    const { client } = clientOf([answer]);
    expect(await refusalOf(client.ask('GET /v2/me', {}))).toMatchObject({
      status: 422,
      code: 'validation',
      message: 'source_config.repo_url: Field required; Too many',
      fields: [
        { field: 'source_config.repo_url', text: 'Field required' },
        { field: '', text: 'Too many' },
      ],
      requestId: 'request',
    });
  });

  it('what stands before the service may answer in words of its own', async () => {
    const { client } = clientOf([new Response('<html>', { status: 403 })]);
    expect(await refusalOf(client.ask('GET /v2/me', {}))).toMatchObject({
      status: 403,
      code: undefined,
      message: 'The API answered with status 403.',
    });
  });

  it('a success that breaks off is none', async () => {
    const { client } = clientOf([new Response('{"user_', { status: 200 })]);
    expect((await refusalOf(client.ask('GET /v2/me', {}))).status).toBe(0);
  });
});

it('each answer that counts is shown, with its headers', async () => {
  const seen: unknown[] = [];
  const version = { 'X-Slipway-Version': '1.2.3', ETag: '"4"' };
  const { client } = clientOf([passing(), json({ id: 'one' }, 200, version)], {
    onAnswer: ({ status, headers }, endpoint) =>
      seen.push([endpoint, status, headers.get('X-Slipway-Version')]),
  });
  const params = { deployment_id: 'one' };
  const asked = client.askTagged('GET /v2/deployments/{deployment_id}', { params });
  await waited(asked);
  expect(await asked).toEqual({ answer: { id: 'one' }, tag: '"4"' });
  expect(seen).toEqual([['GET /v2/deployments/{deployment_id}', 200, '1.2.3']]);
});
