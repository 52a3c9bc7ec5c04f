import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { routes } from '../../lib/contract/routes/index.ts';
import { api, endProgram, expectApi, type Program, startProgram } from '../support/programs/program.ts';
import { makeFixtures } from './fixtures.ts';
import { type HostileRequest, hostileRequests } from './hostile-requests.ts';

/** What a dependency outside does not answer is 503, and no fault of ours. */
const MAY_BE_UNAVAILABLE = new Set(['discoverProvider']);

let program: Program;
let made: Record<string, string>;
beforeAll(async () => {
  program = await startProgram({ environment: { SLIPWAY_BUILD_SECONDS: '5' } });
  made = await makeFixtures(program);
});
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
});

type Answered = { status: number; detail: unknown; text: string };

async function send({ row, target, body }: HostileRequest): Promise<Answered> {
  const key = row.permission === 'listener:work' ? made.LISTENER_KEY : program.apiKey;
  const headers = { 'x-api-key': key ?? '', 'content-type': 'application/json' };
  const init = { method: row.method, headers, redirect: 'manual' as const };
  const answer = await fetch(program.baseUrl + target, body === undefined ? init : { ...init, body });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  const { detail }: { detail?: unknown } = isJson && text !== '' ? JSON.parse(text) : {};
  return { status: answer.status, detail, text };
}

/** What is wrong with an answer, in words. */
function problemsOf({ what, row, expected }: HostileRequest, { status, detail, text }: Answered): string[] {
  const answered = `${what} is ${status} ${JSON.stringify(detail)}`;
  if (/\\ud[89a-f]/i.test(text)) return [`${answered}, which is no text itself`];
  if (expected === undefined) {
    const isFault = status >= 500 && !(status === 503 && MAY_BE_UNAVAILABLE.has(row.operation));
    return isFault ? [answered] : [];
  }
  const { status: wanted, loc } = expected;
  const places = Array.isArray(detail)
    ? detail.map((item: { loc?: unknown }) => JSON.stringify(item.loc))
    : [];
  const isSo = status === wanted && (loc === undefined || places.includes(JSON.stringify(loc)));
  return isSo ? [] : [`${answered} instead of ${wanted} ${JSON.stringify(loc)}`];
}

it.each(routes.map((row) => [row.operation, row] as const))(
  '%s says where a text is no text, and takes any name',
  async (_, row) => {
    const requests = hostileRequests(row, made);
    const problems: string[] = [];
    for (const request of requests) problems.push(...problemsOf(request, await send(request)));
    expect(problems).toEqual([]);
    expect(requests.length).toBeGreaterThan(0);
  },
);

const names = fc.constantFrom(
  'a',
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  '',
  '#json',
  'ü',
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, 0.5, 'text', '😀', '{"a":1}'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const free = fc
  .array(fc.tuple(names, value), { maxLength: 5 })
  .map((entries): object => Object.fromEntries(entries));

/** Objects as lists of their members: the table keeps no order, and matchers look past `__proto__`. */
const members = (given: unknown): unknown => {
  if (Array.isArray(given)) return given.map(members);
  if (typeof given !== 'object' || given === null) return given;
  return Object.entries(given)
    .map(([key, member]) => [key, members(member)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
};

/** Where free-form JSON is kept: how it is sent, and how it comes back. */
const keeping: Record<
  string,
  { path: () => string; sent: (given: object) => object; back: (shown: Record<string, unknown>) => unknown }
> = {
  tracked_packages: {
    path: () => `/v2/deployments/${made.DEPLOYMENT}`,
    sent: (given) => ({ tracked_packages: given }),
    back: ({ tracked_packages }) => tracked_packages,
  },
  compute_config: {
    path: () => `/v2/listeners/${made.VICTIM_LISTENER}`,
    sent: (given) => ({ compute_config: { own: given, ...given } }),
    back: ({ compute_config }) => {
      const { k8s_namespaces: _, pod_security: __, ...own } = compute_config as Record<string, unknown>;
      return own;
    },
  },
  metadata: {
    path: () => `/v2/auth/tokens/${made.TOKEN}/metadata`,
    sent: (given) => ({ metadata: given }),
    back: ({ metadata }) => metadata,
  },
};

it.each(Object.entries(keeping))(
  '%s comes back as it was sent',
  async (field, { path, sent, back }) => {
    const seed = process.env.FUZZ_SEED;
    await fc.assert(
      fc.asyncProperty(free, async (given) => {
        const body = sent(given);
        const shown = await expectApi<Record<string, unknown>>(program, 'PATCH', path(), body, 200);
        expect(members(back(shown))).toEqual(
          members(Object.entries(body).find(([key]) => key === field)?.[1]),
        );
      }),
      { numRuns: 100, ...(seed !== undefined && { seed: Number(seed) }) },
    );
  },
  300_000,
);

it('ids that differ in case are of different things', async () => {
  const providers = ['pair', 'PAIR', 'Pair'];
  const people = ['someone', 'SOMEONE'];
  const addresses = { auth_url: 'http://127.0.0.1:1/auth', token_url: 'http://127.0.0.1:1/token' };
  const of = async (provider_id: string) => {
    const query = new URLSearchParams({ provider_id });
    const tokens = await expectApi<{ id: string }[]>(
      program,
      'GET',
      `/v2/auth/tokens?${query}`,
      undefined,
      200,
    );
    return tokens.map(({ id }) => id).toSorted();
  };
  const granted = new Map<string, string[]>();
  for (const provider_id of providers) {
    const body = { provider_id, name: 'n', client_id: 'c', client_secret: 's', ...addresses };
    await expectApi(program, 'POST', '/v2/auth/providers', body, 200);
    const ids: string[] = [];
    for (const user_id of people)
      for (const agent_id of people) {
        const wish = { provider_id, user_id, agent_id, access_token: 'a' };
        const { id } = await expectApi<{ id: string }>(program, 'POST', '/v2/auth/tokens/import', wish, 200);
        ids.push(id);
        const connect = `/v2/auth/agents/${agent_id}/connections`;
        await expectApi(program, 'POST', connect, { oauth_token_id: id }, 201);
      }
    granted.set(provider_id, ids.toSorted());
  }
  for (const provider_id of providers)
    expect([provider_id, await of(provider_id)]).toEqual([provider_id, granted.get(provider_id)]);
  await expectApi(program, 'DELETE', '/v2/auth/tokens?provider_id=PAIR', undefined, 200);
  expect([await of('pair'), await of('PAIR'), await of('Pair')]).toEqual([
    granted.get('pair'),
    [],
    granted.get('Pair'),
  ]);
  await expectApi(program, 'DELETE', '/v2/auth/providers/Pair', undefined, 200);
  const statuses = await Promise.all(
    [...providers, 'pAIR'].map(async (id) => (await api(program, 'GET', `/v2/auth/providers/${id}`)).status),
  );
  expect(statuses).toEqual([200, 200, 404, 404]);
  for (const agent of people) {
    const { data } = await expectApi<{ data: { agent_id: string }[] }>(
      program,
      'GET',
      `/v2/auth/agents/${agent}/connections`,
      undefined,
      200,
    );
    expect(new Set(data.map(({ agent_id }) => agent_id))).toEqual(new Set([agent]));
  }
});

it('the program has logged no error', () => {
  expect(program.output().match(/.*ERROR.*/g) ?? []).toEqual([]);
});
