import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../../lib/client/client.ts';
import { Refusal } from '../../../lib/client/refusal.ts';
import type { ClientOptions } from '../../../lib/client/request.ts';

const LOGS = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs';
const ids = { deployment_id: 'one', revision_id: 'two' };

type Sent = { address: string; method: string | undefined; headers: Headers; body: unknown };
type Answered = Response | Error | ((sent: Sent) => Response);

/** A client whose requests are answered by these one after the other, and what it has sent. */
function clientOf(answers: Answered[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const client = createClient({
    url: 'https://slipway.example/api/',
    credentials: { apiKey: 'key' },
    ...options,
    fetch: (address, { method, headers, body, signal }) => {
      signal?.throwIfAborted();
      const one = { address, method, headers: new Headers(headers), body };
      sent.push(one);
      const answer = answers.shift();
      if (answer === undefined) throw new Error(`nothing answers ${method} ${address}`);
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(typeof answer === 'function' ? answer(one) : answer);
    },
  });
  return { client, sent };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
const passing = (headers?: Record<string, string>) =>
  json({ detail: 'later', code: 'unavailable' }, 503, headers);
const lost = () => new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
const keysIn = (sent: Sent[]) => sent.map(({ headers }) => headers.get('Idempotency-Key'));
const refusalOf = (asked: Promise<unknown>): Promise<Refusal> =>
  asked.then(
    () => expect.fail('it was not refused'),
    (error: unknown) => (error instanceof Refusal ? error : expect.fail(`${String(error)} is no Refusal`)),
  );

/** Lets time pass until it is settled; how long it waited, in milliseconds. */
async function waited(work: Promise<unknown>): Promise<number> {
  const before = Date.now();
  void vi.runAllTimersAsync();
  await work.catch(() => undefined);
  return Date.now() - before;
}

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
    expect(keysIn(sent)[0]).toMatch(/^[0-9a-f]{32}$/);
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

  it('it waits as long as the service says, and a little more, which is never the same', async () => {
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

describe('lists', () => {
  it('a list is read page by page, until one is not full', async () => {
    const page = (names: string[], offset: number) =>
      json({ resources: names.map((name) => ({ name })), offset });
    const { client, sent } = clientOf([page(['a', 'b'], 2), page(['c', 'd'], 4), page([], 4)]);
    const names: string[] = [];
    for await (const { name } of client.list('GET /v2/deployments', { query: { limit: 2 } }))
      names.push(name);
    expect(names).toEqual(['a', 'b', 'c', 'd']);
    expect(sent.map(({ address }) => new URL(address).search)).toEqual([
      '?limit=2&offset=0',
      '?limit=2&offset=2',
      '?limit=2&offset=4',
    ]);
  });
});

describe('streams', () => {
  const entry = (id: string) => ({ id, timestamp: 1, level: 'INFO', message: id });
  const event = (id: string) => `id: ${id}\ndata: ${JSON.stringify(entry(id))}\n\n`;
  /** Comes in these pieces, and fails after them where `isBroken`. */
  const stream = (pieces: string[], isBroken = false) =>
    new Response(
      new ReadableStream({
        pull(controller) {
          const piece = pieces.shift();
          if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
          else if (isBroken) controller.error(new TypeError('terminated'));
          else controller.close();
        },
      }),
      { headers: { 'Content-Type': 'text/event-stream' } },
    );
  const read = async (lines: AsyncIterable<{ id: string }>) => {
    const heard: string[] = [];
    for await (const { id } of lines) heard.push(id);
    return heard;
  };

  it('entries come once each, over pieces, ends and breaks, until the service says that it was the last', async () => {
    const whole = event('b');
    const { client, sent } = clientOf([
      stream(['retry: 2000\n\n', event('a'), whole.slice(0, 9), whole.slice(9)]),
      stream([event('c'), event('d').slice(0, 12)], true),
      passing(),
      stream([event('d').replaceAll('\n', '\r\n'), 'event: end\ndata: {}\n\n', event('never')]),
    ]);
    const heard = read(client.follow(LOGS, { params: ids, query: { type: 'build' } }, { after: '0' }));
    await waited(heard);
    expect(await heard).toEqual(['a', 'b', 'c', 'd']);
    expect(sent.map(({ headers }) => headers.get('Last-Event-ID'))).toEqual(['0', 'b', 'c', 'c']);
    expect(sent[0]?.headers.get('Accept')).toBe('text/event-stream');
  });

  it('who hears of problems waits them out, but for those that do not pass', async () => {
    const problems: (number | undefined)[] = [];
    const { client } = clientOf(
      [lost(), json({}, 429), stream([event('a')]), json({ detail: 'gone' }, 404)],
      {
        triesMax: 1,
      },
    );
    const lines = client.follow(
      LOGS,
      { params: ids, query: { type: 'build' } },
      { onProblem: (problem) => problems.push(problem?.status) },
    );
    const heard = read(lines);
    await waited(heard);
    expect((await refusalOf(heard)).status).toBe(404);
    expect(problems).toEqual([0, 429, undefined]);
  });

  it('who stops reading ends the request', async () => {
    const cancelled = vi.fn();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(event('a'))),
      cancel: cancelled,
    });
    const { client } = clientOf([new Response(body)]);
    for await (const { id } of client.follow(LOGS, { params: ids, query: { type: 'deploy' } })) {
      expect(id).toBe('a');
      break;
    }
    expect(cancelled).toHaveBeenCalledOnce();
  });
});

describe('the end of a revision', () => {
  it.each(['DEPLOYED', 'SKIPPED', 'INTERRUPTED', 'BUILD_FAILED'])(
    'it is waited for until it is %s',
    async (end) => {
      const revision = (status: string) => json({ id: 'two', status, status_message: null });
      const { client, sent } = clientOf([
        ...['QUEUED', 'BUILDING', 'BUILDING', 'UNKNOWN'].map(revision),
        json({}, 503),
        revision(end),
      ]);
      const changes: string[] = [];
      const ended = client.waitForRevision(ids, { onChange: ({ status }) => changes.push(status) });
      await waited(ended);
      expect(await ended).toMatchObject({ status: end });
      expect(changes).toEqual(['QUEUED', 'BUILDING', 'UNKNOWN', end]);
      expect(sent).toHaveLength(6);
    },
  );
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
