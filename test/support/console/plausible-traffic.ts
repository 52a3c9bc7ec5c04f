import type { APIResponse, Page, Route } from 'playwright-core';
import type { Answer, ListedDeployment } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import type { ShownDeployment } from '../programs/program.ts';

/** An hour of traffic, as no test has it: what was measured is answered in the browser. */
type Metrics = Answer<'GET /v2/deployments/{deployment_id}/metrics'>;

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
/** The newest revision took over in this minute. */
const DEPLOYED_AT = 23;
const SERVERS = 3;

/** The same shape in each run: between -1 and 1. */
const wave = (at: number, seed: number): number =>
  (Math.sin(at * 0.9 + seed) + Math.sin(at * 2.3 + seed * 2) + Math.sin(at * 0.17 + seed * 3)) / 3;

function pointAt(from: number, minute: number): Metrics['total'][number] {
  const isAfter = minute >= DEPLOYED_AT;
  const all = Math.round(140 + minute * 0.9 + 22 * wave(minute, 1));
  const failed = Math.round(all * (isAfter ? 0.008 : 0.028) * (1 + wave(minute, 2)));
  const refused = Math.round(all * 0.02 * (1 + wave(minute, 3) / 2));
  const p95 = Math.round((isAfter ? 1_750 : 2_350) * (1 + wave(minute, 4) / 9));
  return {
    at: new Date(from + minute * MINUTE_MS).toISOString(),
    requests: {
      all,
      '1xx': 0,
      '2xx': all - failed - refused,
      '3xx': 0,
      '4xx': refused,
      '5xx': failed,
      failed,
    },
    latency: { count: all, p50_ms: Math.round(p95 / 3), p95_ms: p95, p99_ms: Math.round(p95 * 1.4) },
    bytes_in: all * 1_100,
    bytes_out: all * 14_000,
    streams: Math.round(11 + 5 * wave(minute, 5)),
    in_flight: Math.round(9 + 4 * wave(minute, 6)),
    servers_wanted: SERVERS,
    servers_ready: SERVERS,
    restarts: [],
    cpu_cores: 0.38 + 0.07 * wave(minute, 7),
    memory_bytes: 600e6 + minute * 2e5 + 9e6 * wave(minute, 8),
    runs: {
      begun: Math.round(all / 6),
      succeeded: Math.round(all / 6) - Math.round(failed / 3),
      failed: Math.round(failed / 3),
      waiting: Math.round(2 + 2 * wave(minute, 9)),
      p50_ms: 2_100,
      p95_ms: 6_400,
    },
  };
}

function measured({ active_revision_id: active }: ShownDeployment): Metrics {
  const to = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const from = to - HOUR_MINUTES * MINUTE_MS;
  const id = active ?? '';
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step: 60,
    source: 'listener',
    missing: [],
    now: {
      at: new Date(to).toISOString(),
      revision_id: id,
      in_flight: 9,
      streams: 11,
      servers_wanted: SERVERS,
      servers_ready: SERVERS,
      cpu_cores: 0.4,
      cpu_limit: 2,
      memory_bytes: 610e6,
      memory_limit: 1e9,
      restarts_day: 0,
      last_restart: null,
    },
    total: Array.from({ length: HOUR_MINUTES }, (_, minute) => pointAt(from, minute)),
    revisions: [],
    deploys: [
      { revision_id: id, number: numberOf(id), at: new Date(from + DEPLOYED_AT * MINUTE_MS).toISOString() },
    ],
  };
}

const aMinute: Record<string, number> = {
  'support-agent': 184,
  'invoice-extractor': 22,
  'crm-tools': 78,
  'onboarding-guide': 4,
};

/** The last hour of a row in a list. */
function trafficOf({ name }: ListedDeployment, seed: number): ListedDeployment['traffic'] {
  const mean = aMinute[name];
  if (mean === undefined) return null;
  const requests = Array.from({ length: 12 }, (_, at) => Math.round(mean * 5 * (1 + wave(at, seed) / 2)));
  const from = new Date(Date.now() - HOUR_MINUTES * MINUTE_MS).toISOString();
  return { step: 300, from, requests, failed: requests.map(() => 0), a_minute: mean, restarts: 0 };
}

/** What the program answers, also where the page has the same already. */
const wholeAnswer = async (route: Route): Promise<APIResponse> => {
  const { 'if-none-match': _, ...headers } = await route.request().allHeaders();
  return route.fetch({ headers });
};

/** From now on the page is told that somebody with a name is signed in. */
export async function withNames(page: Page): Promise<void> {
  await page.route('**/v2/me', async (route) => {
    const answer = await wholeAnswer(route);
    // What that route answers.
    const me = (await answer.json()) as Answer<'GET /v2/me'>;
    const tenants = me.tenants.map((each) => ({ ...each, name: 'Harbor Labs' }));
    await route.fulfill({ response: answer, json: { ...me, user_id: 'Mara Keller', tenants } });
  });
}

/** From now on the page is told of an hour of traffic: of a deployment, and of each in a list. */
export async function withTraffic(page: Page, deployment: ShownDeployment): Promise<void> {
  await page.route('**/metrics?*', (route) => route.fulfill({ json: measured(deployment) }));
  await page.route('**/v2/deployments?*', async (route) => {
    const answer = await wholeAnswer(route);
    // What that route answers.
    const { resources, ...rest } = (await answer.json()) as { resources: ListedDeployment[] };
    const told = resources.map((each, seed) => ({ ...each, traffic: trafficOf(each, seed) }));
    await route.fulfill({ response: answer, json: { ...rest, resources: told } });
  });
}
