import { createServer, request as requestPlain } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../../lib/embedded/gateway/server.ts';
import { waitForConsent as row } from '../../../lib/features/consent/routes.ts';
import { waitForConsent } from '../../../lib/features/consent/wait.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { systemPatience } from '../../../lib/store/dynamodb/patience.ts';
import { onLoopback } from '../../support/http/loopback-server.ts';
import { Browser } from '../../support/oauth/browser.ts';
import { aConsentWorld, type ConsentWorld } from '../../support/oauth/consent-world.ts';

/** API Gateway's limit. */
const CUT_MILLISECONDS = 30_000;

type Hop = { path: string; status: number };

/**
 * The endpoint behind a gateway that answers 503 to what takes longer than 30 s. Its pauses take no time but
 * move the clock, and `during` is called in each with the milliseconds that have passed since the first
 * request.
 */
async function behindCuttingGateway(
  world: ConsentWorld,
  during: (passedMilliseconds: number) => Promise<unknown> = async () => undefined,
): Promise<{ url: string; hops: Hop[]; passedSeconds: () => number }> {
  const { now } = world.deps.clock;
  const begunAt = now();
  const pause = async (milliseconds: number) => {
    world.advance(milliseconds / 1000);
    await during(now() - begunAt);
  };
  const table = { ...world.deps.table, patience: { ...systemPatience, pause } };
  const wait = endpoint(row, waitForConsent);
  const gateway = await startGateway({
    port: 0,
    routes: [row],
    handlerOf: async () => wait(() => ({ ...world.deps, table })),
    serveBlob: async () => false,
    onError: (error) => {
      throw error;
    },
  });
  const hops: Hop[] = [];
  const cutting = createServer((incoming, outgoing) => {
    const { url: path = '', headers } = incoming;
    const askedAt = now();
    const target = { port: gateway.port, host: '127.0.0.1', path, headers };
    const forwarded = requestPlain(target, (answer) => {
      const status = now() - askedAt > CUT_MILLISECONDS ? 503 : (answer.statusCode ?? 502);
      hops.push({ path, status });
      outgoing.writeHead(status, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy()).end();
  });
  const { url, close } = await onLoopback(cutting);
  onTestFinished(async () => {
    await close();
    await gateway.close();
  });
  return { url, hops, passedSeconds: () => (now() - begunAt) / 1000 };
}

it('who asks once for 300 s through a gateway that cuts at 30 s gets the token of a consent at 40 s', async () => {
  const world = await aConsentWorld();
  const { url: begin, auth_id } = await world.authenticate();
  const browser = new Browser();
  let callback: string | undefined = await world.consent(begin, browser);
  const { url, hops } = await behindCuttingGateway(world, async (passed) => {
    if (passed < 40_000 || callback === undefined) return;
    const address = callback;
    callback = undefined;
    await browser.open(address);
  });
  const headers = { 'x-api-key': world.key };
  const answer = await fetch(`${url}/v2/auth/wait/${auth_id}?timeout=300`, { headers });
  const { status, token } = (await answer.json()) as { status: string; token: string };
  expect([answer.status, status, await world.provider.accepts(token)]).toEqual([200, 'completed', true]);
  expect(hops.map((hop) => hop.status)).toEqual([307, 200]);
  const [, left = ''] = /^\/v2\/auth\/wait\/[0-9a-f-]{36}\?timeout=([\d.]+)$/.exec(hops[1]?.path ?? '') ?? [];
  expect(Number(left)).toBeGreaterThan(260);
  expect(Number(left)).toBeLessThanOrEqual(275);
});

it.each([
  ['60', 60, [307, 307, 200]],
  ['', 30, [307, 200]],
  ['0', 0, [200]],
])(
  'asked to wait %s s, it says timeout after %i s, under the address that was asked',
  async (asked, seconds, statuses) => {
    const world = await aConsentWorld();
    // An address that is opened in time lives longer than anybody waits.
    const { auth_id } = await world.authenticate();
    const { url, hops, passedSeconds } = await behindCuttingGateway(world);
    const path = `/api-host/v2/auth/wait/${auth_id}?timeout=`;
    const answer = await fetch(url + path + asked, { headers: { 'x-api-key': world.key } });
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'timeout' }]);
    expect(passedSeconds()).toBeGreaterThanOrEqual(seconds - 2);
    expect(passedSeconds()).toBeLessThan(seconds + 10);
    expect(hops.map(({ status }) => status)).toEqual(statuses);
    expect(hops.filter((hop) => !hop.path.startsWith(path))).toEqual([]);
  },
);

it('nobody waits for longer than 480 s', () => {
  const timeoutOf = (timeout: string) => row.query.parse({ timeout }).timeout;
  expect(['0.5', '480', '600'].map(timeoutOf)).toEqual([0.5, 480, 480]);
});

it('waiting holds up no shutdown', async () => {
  const world = await aConsentWorld();
  const { auth_id } = await world.authenticate();
  const began = Promise.withResolvers<undefined>();
  const pause = () => {
    began.resolve(undefined);
    return new Promise<void>(() => undefined);
  };
  const table = { ...world.deps.table, patience: { ...systemPatience, pause } };
  const wait = endpoint(row, waitForConsent);
  const gateway = await startGateway({
    port: 0,
    routes: [row],
    handlerOf: async () => wait(() => ({ ...world.deps, table })),
    serveBlob: async () => false,
    onError: () => undefined,
  });
  const headers = { 'x-api-key': world.key };
  const asked = fetch(`http://127.0.0.1:${gateway.port}/v2/auth/wait/${auth_id}`, { headers });
  await began.promise;
  const begunAt = performance.now();
  await gateway.close();
  expect((await asked).status).toBe(503);
  expect(performance.now() - begunAt).toBeLessThan(2_000);
});
