import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as eventBus from '../../../lib/adapters/aws/events.ts';
import type { DeploymentEvent } from '../../../lib/contract/events.ts';
import { freshModules } from '../../support/aws/fresh-modules.ts';

const event = (sequence: number): DeploymentEvent => ({
  id: `e${sequence}`,
  type: 'revision.status_changed',
  sequence,
  at: '2026-11-21T10:00:00.500Z',
  tenant_id: 't',
  deployment_id: 'd',
  revision_id: 'r',
  status: 'DEPLOYED',
});
const events = (count: number): DeploymentEvent[] => Array.from({ length: count }, (_, n) => event(n + 1));

type Entry = { Detail: string; [name: string]: unknown };
type Call = { url: string; headers: Record<string, string>; entries: Entry[] };

/** Answers PutEvents in the place of the service: `refuse` names the code of an entry that is not taken. */
function aBus(refuse: (entry: Entry, call: number) => string | undefined = () => undefined): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal('fetch', async (url: URL, init: { headers: Record<string, string>; body: string }) => {
    const { Entries: entries } = JSON.parse(init.body) as { Entries: Entry[] };
    calls.push({ url: String(url), headers: init.headers, entries });
    const answers = entries.map((entry) => {
      const code = refuse(entry, calls.length);
      return code === undefined ? { EventId: 'x' } : { ErrorCode: code, ErrorMessage: 'no' };
    });
    return Response.json({ Entries: answers, FailedEntryCount: 0 });
  });
  return calls;
}

const sequences = (call: Call | undefined): number[] =>
  (call?.entries ?? []).map(({ Detail }) => (JSON.parse(Detail) as DeploymentEvent).sequence);

const fresh = freshModules();
let createEventBus: typeof eventBus.createEventBus;

beforeAll(async () => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'session');
  vi.stubEnv('AWS_ENDPOINT_URL', undefined);
  // What signs keeps the first credentials that it sees.
  ({ createEventBus } = await fresh.load<typeof eventBus>('lib/adapters/aws/events.ts'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  fresh.close();
});
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Whatever pauses lie between the tries. */
async function publish(given: DeploymentEvent[]) {
  const running = createEventBus('bus').publish(given);
  await vi.runAllTimersAsync();
  return running;
}

describe('the bus', () => {
  it('is told each event by a signed request, as rules match it', async () => {
    const calls = aBus();
    expect(await publish([event(7)])).toBeUndefined();
    const [call] = calls;
    expect(call?.url).toBe('https://events.eu-west-1.amazonaws.com/');
    expect(call?.entries).toEqual([
      {
        EventBusName: 'bus',
        Source: 'slipway',
        DetailType: 'revision.status_changed',
        Time: Date.parse('2026-11-21T10:00:00Z') / 1000,
        Detail: JSON.stringify(event(7)),
      },
    ]);
    expect(call?.headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSEvents.PutEvents',
      'x-amz-security-token': 'session',
    });
    const scope =
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/events\/aws4_request, SignedHeaders=[^,]*host[^,]*x-amz-target[^,]*, Signature=[0-9a-f]{64}$/;
    expect(call?.headers.authorization).toMatch(scope);
  });

  it('takes ten at once, in order', async () => {
    const calls = aBus();
    expect(await publish(events(23))).toBeUndefined();
    expect(calls.map(({ entries }) => entries.length)).toEqual([10, 10, 3]);
    expect(calls.flatMap(sequences)).toEqual(events(23).map(({ sequence }) => sequence));
  });

  it('is told again what it did not take, and that alone', async () => {
    const calls = aBus(({ Detail }, call) =>
      call === 1 && Detail.includes('"sequence":2') ? 'ThrottlingException' : undefined,
    );
    expect(await publish(events(3))).toBeUndefined();
    expect(calls.map(sequences)).toEqual([[1, 2, 3], [2]]);
  });

  it('is given up after some tries: what was not told is said, with the reason', async () => {
    const calls = aBus(({ Detail }) => (Detail.includes('"sequence":2') ? 'InternalException' : undefined));
    expect(await publish(events(12))).toEqual({ events: [event(2)], reason: 'InternalException' });
    expect(calls.length).toBe(7);
  });

  it('that does not answer, or refuses, is told nothing', async () => {
    const answer = vi.fn(async () => new Response('{"__type":"AccessDeniedException"}', { status: 400 }));
    vi.stubGlobal('fetch', answer);
    const unpublished = await publish(events(2));
    expect(unpublished?.events).toEqual(events(2));
    expect(unpublished?.reason).toBe('AWSEvents.PutEvents: HTTP 400 {"__type":"AccessDeniedException"}');
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('fetch failed');
    });
    expect(await publish(events(1))).toEqual({ events: events(1), reason: 'fetch failed' });
  });

  it('is asked at another address where the environment names one', async () => {
    const calls = aBus();
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://localhost:4566');
    await publish(events(1));
    vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', 'http://localhost:4577/x');
    await publish(events(1));
    expect(calls.map(({ url }) => url)).toEqual(['http://localhost:4566/', 'http://localhost:4577/x']);
    vi.stubEnv('AWS_ENDPOINT_URL', undefined);
    vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', undefined);
  });
});
