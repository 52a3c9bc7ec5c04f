import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { formTokenOf, readTicket } from '../../../lib/app/oauth/consent/secrets.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import { routes } from '../../../lib/contract/routes.ts';
import type { Handler } from '../../../lib/http/exchange.ts';
import { apiEvent, type EventParts, lambdaContext } from '../../support/http/event.ts';
import { scriptContainer } from '../../support/oauth/scripted.ts';
import { ids } from '../../support/table/stored-items.ts';
import { table } from './api-cases.ts';
import { cookie, nonce, requests, seedRequest, stateText } from './consent-cases.ts';
import { functionEnvironment } from './environment.ts';

beforeAll(() => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
  return scriptContainer();
});
// What mocks the table too, in a file before, has taken this mock's place.
beforeEach(() => table.reset());
afterAll(() => vi.unstubAllEnvs());

const rowOf = (operation: string): RouteRow => {
  const row = routes.find((each) => each.operation === operation);
  if (row === undefined) throw new Error(operation);
  return row;
};

async function open(operation: string, parts: EventParts & { cookies?: string[] }) {
  const row = rowOf(operation);
  // Each handler file exports `handler`; the route table's own test says so.
  const { handler } = (await import(/* @vite-ignore */ `../../../${row.handler}`)) as { handler: Handler };
  const event = apiEvent({ method: row.method, path: row.path, ...parts });
  const answer = await handler(
    { ...event, ...(parts.cookies && { cookies: parts.cookies }) },
    lambdaContext(),
  );
  expect([row.success, ...(row.page?.statuses ?? [])]).toContain(answer.statusCode);
  expect(Object.keys(answer.headers ?? {})).toEqual(
    expect.arrayContaining(['Cache-Control', 'Content-Security-Policy', 'Referrer-Policy', 'x-request-id']),
  );
  return answer;
}

const token = formTokenOf(readTicket(nonce.text) ?? { tenantId: '', authId: '', secret: Buffer.alloc(0) });
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const cookies = [`__Host-slipway-consent-${ids.auth}=${cookie.text}`];
const back = { params: { provider_id: 'idp' }, query: { state: stateText, code: 'a-code' }, cookies };

const pages = {
  showBegin: { request: { params: { nonce: nonce.text } }, stage: 'created' },
  begin: {
    request: { params: { nonce: nonce.text }, headers: form, body: `form_token=${token}` },
    stage: 'created',
  },
  callbackPage: { request: back, stage: 'consenting' },
} as const;

describe.each(Object.entries(pages))('%s', (operation, { request, stage }) => {
  it('does its work with the access that its row names', async () => {
    seedRequest(table, requests[stage]);
    const row = rowOf(operation);
    expect(await open(operation, request)).toMatchObject({ statusCode: row.success });
    const declared = row.access.filter((word) => word.startsWith('table:'));
    expect([...table.used()].sort()).toEqual(declared.toSorted());
  });

  it('is over for what was never asked for, what has ended, and what came too late', async () => {
    const { expires_at: _, ...rest } = requests[stage];
    for (const item of [undefined, requests.ended, requests.completed, { ...rest, expires_at: 1 }]) {
      table.reset();
      if (item !== undefined) seedRequest(table, item);
      expect(await open(operation, request)).toMatchObject({ statusCode: 410 });
      expect(table.written()).toEqual([]);
    }
  });

  it('says nothing of what went wrong on our side', async () => {
    seedRequest(table, requests[stage]);
    table.breakWith(new Error('User arn:aws:iam::123456789012:role/x is not authorized on table-name'));
    const { statusCode, body, headers } = await open(operation, request);
    expect([statusCode, headers?.['content-type']]).toEqual([500, 'text/html; charset=utf-8']);
    expect(body).not.toMatch(/arn:|table-name/);
  });

  it('says when to come again while the table is throttled', async () => {
    seedRequest(table, requests[stage]);
    table.breakWith(new ProvisionedThroughputExceededException({ message: 'of table-name', $metadata: {} }));
    const { statusCode, body, headers } = await open(operation, request);
    expect([statusCode, headers?.['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
    expect(headers?.['retry-after']).toMatch(/^\d+$/);
    expect(body).not.toContain('table-name');
  });
});

it('a callback of no provider is of no use', async () => {
  expect(await open('callbackPage', { params: { provider_id: 'a/b' } })).toMatchObject({ statusCode: 410 });
});
