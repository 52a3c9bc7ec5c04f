import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { exampleOf } from '../../../lib/contract/openapi/examples/index.ts';
import { allows, type Permission, roles } from '../../../lib/contract/roles.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { newApiKey } from '../../../lib/core/identity/api-key.ts';
import type { Handler } from '../../../lib/http/exchange.ts';
import type { SecurityWorld } from '../world/security-world.ts';
import { apiEvent, lambdaContext } from './event.ts';

/** A row that asks for a credential. */
export type GuardedRow = RouteRow & { permission: Permission };
export const isGuarded = (row: RouteRow): row is GuardedRow => row.permission !== 'public';

/** The handler of a row as its file makes it, with these dependencies. */
export async function handlerOf(row: RouteRow, deps: Deps): Promise<Handler> {
  // Each file exports `create`; the route table's own test says so.
  const entry = (await import(/* @vite-ignore */ `../../../${row.handler}`)) as {
    create: (deps: () => Deps) => Handler;
  };
  return entry.create(() => deps);
}

/** The names of the ids in a path. */
export const idsIn = ({ path }: RouteRow): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/**
 * What a query must say to get as far as the ids of its row. A row that needs something and has nothing here
 * is told so.
 */
const queries: Record<string, Record<string, string>> = {
  queryRevisionLogs: { type: 'build' },
  waitForConsent: { timeout: '0' },
  deleteDeployments: { deployment_ids: crypto.randomUUID() },
};

/**
 * The body of a request that gets as far as the ids in its path: nothing where that will do, else the row's
 * example.
 */
function bodyOf(row: RouteRow): unknown {
  if (row.method === 'GET') return undefined;
  const needsBody = row.body !== undefined && idsIn(row).length > 0 && !row.body.safeParse({}).success;
  return needsBody ? exampleOf(row.operation).body : {};
}

/** Rows whose query names a provider. */
const OF_PROVIDER = new Set(['listTokens', 'tokenExists', 'deleteTokens']);

/** Rows whose query names an integration. */
const OF_INTEGRATION = new Set(['listBranches', 'lookAtRepository']);

type Answer = Pick<APIGatewayProxyStructuredResultV2, 'statusCode' | 'headers' | 'body'>;
type Ask = (headers: Record<string, string>, params: Record<string, string>) => Promise<Answer>;

/**
 * One request to the handler of a row, that says as much as its row needs; with another body if one is given.
 */
export function request(
  row: RouteRow,
  handler: Handler,
  {
    headers,
    params,
    body,
  }: { headers: Record<string, string>; params: Record<string, string>; body?: unknown },
): Promise<Answer> {
  const { method, path, operation } = row;
  const provider = OF_PROVIDER.has(operation) && { query: { provider_id: params.provider_id ?? 'none' } };
  const integration = OF_INTEGRATION.has(operation) && {
    query: { repo_url: 'https://git.example/a/b', integration_id: params.integration_id ?? 'none' },
  };
  const query = operation in queries && { query: queries[operation] ?? {} };
  const parts = { body: body ?? bodyOf(row), ...query, ...provider, ...integration };
  return handler(apiEvent({ method, path, params, headers, ...parts }), lambdaContext());
}

/**
 * Everything that is wrong with how a handler guards its row, in words; nothing when all is well. It is asked
 * with bad credentials, in every role, for other tenants, and with other tenants' ids.
 */
export const findingsOf = (row: GuardedRow, handler: Handler, world: SecurityWorld): Promise<string[]> =>
  found([credentials, roleMatrix, tenants, foreignIds], row, handler, world);

/** What of that is about roles. */
export const roleFindingsOf = (row: GuardedRow, handler: Handler, world: SecurityWorld): Promise<string[]> =>
  found([roleMatrix], row, handler, world);

async function found(
  checks: Check[],
  row: GuardedRow,
  handler: Handler,
  world: SecurityWorld,
): Promise<string[]> {
  const findings: string[] = [];
  const asked: Ask = async (headers, params) => {
    const answer = await request(row, handler, { headers, params });
    if ((answer.statusCode ?? 0) >= 500) findings.push(`answers ${answer.statusCode}: ${answer.body}`);
    return answer;
  };
  for (const check of checks) {
    findings.push(...(await check(row, asked, world)));
  }
  return findings;
}

type Check = (row: GuardedRow, ask: Ask, world: SecurityWorld) => Promise<string[]>;

const said = ({ statusCode, body }: Answer): string => `${statusCode} ${body ?? ''}`;

/**
 * Well formed, and of nothing; the same ones everywhere, so that what is looked for in vain is looked for
 * once.
 */
const NO_ID = crypto.randomUUID();
const UNKNOWN_KEY = newApiKey();

const nothing = (row: RouteRow): Record<string, string> =>
  Object.fromEntries(idsIn(row).map((name) => [name, NO_ID]));

const good = ({ own }: SecurityWorld, { permission }: GuardedRow): string =>
  own.keys[roles.find((role) => allows(role, permission)) ?? 'admin'];

const isListeners = ({ permission }: GuardedRow): boolean => permission === 'listener:work';

/** Ids of nothing, but for the own listener where the row is a listener's. */
const reachable = (row: GuardedRow, { own }: SecurityWorld): Record<string, string> =>
  isListeners(row) ? { ...nothing(row), listener_id: own.ids.listener_id ?? '' } : nothing(row);

const refused = 'Invalid or missing credentials';
/** It is said of whatever looks like a key, good or not. */
const KEY_AS_BEARER = 'a key as a bearer';
const WHERE_KEYS_GO = 'an API key is sent in the header X-Api-Key, not as a bearer token.';

/** Whatever is wrong with a credential, the answer is the same 401. */
const credentials: Check = async (row, ask, world) => {
  const key = good(world, row);
  const bad: Record<string, Record<string, string>> = {
    'no key': {},
    'an empty key': { 'x-api-key': '' },
    'a malformed key': { 'x-api-key': 'slp_wrong' },
    'a key with a wrong checksum': { 'x-api-key': key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A') },
    'an unknown key': { 'x-api-key': UNKNOWN_KEY },
    'an expired key': { 'x-api-key': world.expiredKey },
    'a revoked key': { 'x-api-key': world.revokedKey },
    'a tenant alone': { 'x-tenant-id': world.own.tenantId },
    'an expired key with a good bearer': {
      'x-api-key': world.expiredKey,
      authorization: `Bearer ${world.bearer}`,
    },
    'a bad bearer': { authorization: 'Bearer a.b.c', 'x-tenant-id': world.own.tenantId },
    [KEY_AS_BEARER]: { authorization: `Bearer ${key}`, 'x-tenant-id': world.own.tenantId },
    'a bearer of another scheme': {
      authorization: `Basic ${world.bearer}`,
      'x-tenant-id': world.own.tenantId,
    },
  };
  const findings: string[] = [];
  for (const [what, headers] of Object.entries(bad)) {
    const answer = await ask(headers, world.own.ids);
    const challenge = String(answer.headers?.['www-authenticate'] ?? '');
    const detail = what === KEY_AS_BEARER ? `${refused}: ${WHERE_KEYS_GO}` : refused;
    const isRight =
      said(answer) === `401 ${JSON.stringify({ detail, code: 'unauthenticated' })}` && challenge !== '';
    if (!isRight) findings.push(`${what}: ${said(answer)}`);
  }
  return findings;
};

/** Who has the permission gets past the gate; who has not is told which one is missing. */
const roleMatrix: Check = async (row, ask, world) => {
  const findings: string[] = [];
  for (const role of roles) {
    const answer = await ask({ 'x-api-key': world.own.keys[role] }, reachable(row, world));
    const isLet = answer.statusCode !== 401 && answer.statusCode !== 403;
    const lacking = { detail: `API key lacks permission '${row.permission}'`, code: 'permission_missing' };
    const lacks = said(answer) === `403 ${JSON.stringify(lacking)}`;
    if (allows(role, row.permission) ? !isLet : !lacks) findings.push(`${role}: ${said(answer)}`);
  }
  return findings;
};

/** A credential reaches its own tenants and no other; one that is good for several has to say which. */
const tenants: Check = async (row, ask, world) => {
  const { own, foreign, organizationKey, bearer, severalBearer, strangerBearer } = world;
  const [sister, elsewhere] = foreign.map(({ tenantId }) => tenantId);
  const findings: string[] = [];
  const expect403 = async (what: string, words: string, headers: Record<string, string>) => {
    const answer = await ask(headers, reachable(row, world));
    if (answer.statusCode !== 403 || answer.body?.includes(words) !== true)
      findings.push(`${what}: ${said(answer)}`);
  };
  const unnamed = 'requires workspace specification';
  if (row.tenantOptional !== true) {
    await expect403('an organization key without a tenant', unnamed, { 'x-api-key': organizationKey });
    await expect403('a bearer of several tenants', unnamed, { authorization: `Bearer ${severalBearer}` });
    await expect403('a bearer of none', 'a member of no tenant', {
      authorization: `Bearer ${strangerBearer}`,
    });
  }
  for (const tenant of [sister ?? '', elsewhere ?? '', crypto.randomUUID(), 'x', '']) {
    const named = { 'x-tenant-id': tenant };
    const own403 = `no access to tenant '${tenant}'`;
    await expect403('a key of one tenant', own403, { ...named, 'x-api-key': good(world, row) });
    await expect403('a bearer of one tenant', own403, { ...named, authorization: `Bearer ${bearer}` });
    if (tenant !== sister)
      await expect403('an organization key', own403, { ...named, 'x-api-key': organizationKey });
  }
  const stranger = { authorization: `Bearer ${strangerBearer}`, 'x-tenant-id': own.tenantId };
  await expect403('a bearer without a membership', `no access to tenant '${own.tenantId}'`, stranger);
  if (isListeners(row)) return findings;
  const named = { 'x-tenant-id': own.tenantId.toUpperCase() };
  for (const credential of [
    { 'x-api-key': organizationKey, ...named },
    { authorization: `bearer ${bearer}`, ...named },
    { authorization: `Bearer ${bearer}` },
  ]) {
    const answer = await ask(credential, nothing(row));
    const isLet = answer.statusCode !== 401 && answer.statusCode !== 403;
    if (!isLet) findings.push(`${Object.keys(credential)[0]} with its tenant: ${said(answer)}`);
  }
  return findings;
};

/**
 * Things that belong to an organization, not to one tenant of it: those of a sister tenant are the own ones.
 */
const OF_ORGANIZATION = new Set(['provider_id']);

/** Names that callers choose: of one that nobody has used there is a list, with nothing in it. */
const CHOSEN = new Set(['agent_id', 'auth_id']);
/** Waiting for another user's consent request succeeds with `not_found`. */
const EMPTY = new Set(['200 {"data":[]}', '200 {"status":"not_found"}']);

/** Another tenant's id reads the same as one of nothing, wherever in the path it stands. */
const foreignIds: Check = async (row, ask, world) => {
  const findings: string[] = [];
  for (const name of idsIn(row)) {
    for (const headers of callersOf(row, world)) {
      findings.push(...(await foreignId(name, row, (params) => ask(headers, params), world)));
    }
  }
  return findings;
};

/**
 * Two users of the own tenant, and one who could reach the other tenants of the organization by naming them.
 */
function callersOf(row: GuardedRow, { own, organizationKey }: SecurityWorld): Record<string, string>[] {
  if (isListeners(row)) return [{ 'x-api-key': own.keys.listener }];
  return [
    { 'x-api-key': own.keys.organization_admin },
    { 'x-api-key': own.otherUserKey },
    { 'x-api-key': organizationKey, 'x-tenant-id': own.tenantId },
  ];
}

async function foreignId(
  name: string,
  row: GuardedRow,
  ask: (params: Record<string, string>) => Promise<Answer>,
  { own, foreign }: SecurityWorld,
): Promise<string[]> {
  const withId = async (id = '') => said(await ask({ ...own.ids, [name]: id })).replaceAll(id, 'ID');
  const expected = await withId(crypto.randomUUID());
  if (expected.startsWith('422')) return [`needs a request of its own to be asked: ${expected}`];
  // A listener's key is told that it is not bound to any other listener, whether that exists or not.
  const status = isListeners(row) && name === 'listener_id' ? 403 : 404;
  const isEmpty = CHOSEN.has(name) && row.method === 'GET' && EMPTY.has(expected);
  const findings = isEmpty || expected.startsWith(`${status} `) ? [] : [`${name} of nothing: ${expected}`];
  const others = OF_ORGANIZATION.has(name)
    ? foreign.filter(({ organizationId }) => organizationId !== own.organizationId)
    : foreign;
  for (const { ids } of others) {
    const answer = await withId(ids[name]);
    if (answer !== expected) findings.push(`${name} of another tenant: ${answer} instead of ${expected}`);
    const all = said(await ask(ids));
    if (!(isEmpty && all === expected) && !all.startsWith(isListeners(row) ? '403 ' : '404 '))
      findings.push(`every id of another tenant: ${all}`);
  }
  return findings;
}
