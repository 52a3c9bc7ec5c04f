import { describe, expect, it } from 'vitest';
import type { RefusalNote } from '../../../lib/contract/note-lines.ts';
import type { Role } from '../../../lib/contract/roles.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import { newApiKey } from '../../../lib/core/identity/api-key.ts';
import { CALLERS_MAX, countedRefusals } from '../../../lib/features/audit/count-refusals.ts';
import { listAuditEvents } from '../../../lib/features/audit/list.ts';
import { listAuditEvents as row } from '../../../lib/features/audit/routes.ts';
import type { AuditEventView } from '../../../lib/features/audit/shape.ts';
import { noteRefusal } from '../../../lib/features/audit/take-notes.ts';
import { apiEvent, lambdaContext } from '../../support/http/event.ts';
import { handlerOf, isGuarded, request } from '../../support/http/security-loop.ts';
import { aCaller } from '../../support/world/caller.ts';
import { aSecurityWorld, type Inhabited, type SecurityWorld } from '../../support/world/security-world.ts';
import { allItems } from '../../support/world/world.ts';

/** A world whose refusals are written down when `settle` is called, in their order. */
async function aGuardedWorld() {
  const world = await aSecurityWorld();
  const notes: RefusalNote[] = [];
  world.deps.auditLog = { handedOut: () => undefined, refused: countedRefusals((note) => notes.push(note)) };
  const settle = async () => {
    for (const note of notes.splice(0)) await noteRefusal(world.deps, note);
  };
  return { ...world, settle };
}

const guarded = routes.filter(isGuarded);
const rowOf = (operation: string) => {
  const found = guarded.find((each) => each.operation === operation);
  if (found === undefined) throw new Error(`no guarded route ${operation}`);
  return found;
};

/** One request with these headers, by default for a listener of the own tenant. */
async function ask({ deps, own }: SecurityWorld, headers: Record<string, string>, operation = 'getListener') {
  const asked = rowOf(operation);
  const answer = await request(asked, await handlerOf(asked, deps), { headers, params: own.ids });
  return answer.statusCode;
}

/** What somebody in a tenant is shown of refusals. */
async function shownTo(
  { deps }: SecurityWorld,
  { tenantId, organizationId }: Inhabited,
  role: Role,
): Promise<AuditEventView[]> {
  const query = row.query.parse({ action: 'request.refuse' });
  const caller = aCaller({ tenantId, organizationId, role });
  return (await listAuditEvents(deps, { query }, caller)).resources;
}

describe('a refused request', () => {
  it('is told to the audit by every route that asks for a credential', async () => {
    const { deps, own } = await aSecurityWorld();
    const told = new Set<string>();
    const refused = ({
      operation,
      status,
      requestId,
    }: {
      operation: string;
      status: number;
      requestId: string;
    }) => told.add(`${operation} ${status} ${requestId}`);
    deps.auditLog = { handedOut: () => undefined, refused };
    for (const each of guarded)
      await request(each, await handlerOf(each, deps), { headers: {}, params: own.ids });
    // Two paths to one function are one operation there.
    const operations = [...Map.groupBy(guarded, ({ handler }) => handler).values()].map(([first]) => first);
    expect(operations.filter((each) => !told.has(`${each?.operation} 401 request-1`))).toEqual([]);
  });

  it('is in the audit of the tenant whose key it came with, once an hour and caller, counted', async () => {
    const begin = Date.now();
    const world = await aGuardedWorld();
    for (let n = 0; n < 3; n++)
      expect(await ask(world, { 'x-api-key': world.own.keys.viewer }, 'listApiKeys')).toBe(403);
    await world.settle();
    const [event, ...more] = await shownTo(world, world.own, 'admin');
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      user_id: expect.any(String),
      key_id: expect.any(String),
      request_id: 'request-1',
      resource_type: 'request',
      resource_id: null,
      count: 3,
      details: {
        status: 403,
        reason: 'permission_missing',
        operation: 'listApiKeys',
        source_address: '127.0.0.1',
        credential: expect.stringMatching(/^slp_\w{4}….{4}$/),
      },
    });
    expect(Date.parse(event?.at ?? '')).toBeGreaterThanOrEqual(begin);
    expect(Date.parse(event?.at ?? '')).toBeLessThanOrEqual(Date.now());
    await ask(world, { 'x-api-key': world.own.keys.viewer }, 'listApiKeys');
    await world.settle();
    expect(await shownTo(world, world.own, 'admin')).toMatchObject([{ id: event?.id, count: 4 }]);
  });

  it.each(['expiredKey', 'revokedKey'] as const)('says whose key it was: %s', async (which) => {
    const world = await aGuardedWorld();
    expect(await ask(world, { 'x-api-key': world[which] })).toBe(401);
    await world.settle();
    expect(await shownTo(world, world.own, 'admin')).toMatchObject([
      { key_id: expect.any(String), details: { status: 401, reason: 'unauthenticated' } },
    ]);
    for (const other of world.foreign) expect(await shownTo(world, other, 'admin')).toEqual([]);
  });

  it('with another tenant’s id is in the own tenant’s audit, not in the other’s', async () => {
    const world = await aGuardedWorld();
    const [sister, stranger] = world.foreign;
    if (sister === undefined || stranger === undefined) throw new Error('there are two others');
    const headers = { 'x-api-key': world.own.keys.admin, 'x-tenant-id': sister.tenantId };
    expect(await ask(world, headers)).toBe(403);
    const wide = { 'x-api-key': world.organizationKey, 'x-tenant-id': stranger.tenantId };
    expect(await ask(world, wide)).toBe(403);
    expect(await ask(world, { 'x-api-key': world.organizationKey })).toBe(403);
    await world.settle();
    expect(await shownTo(world, world.own, 'admin')).toMatchObject([
      { details: { reason: 'tenant_forbidden' } },
    ]);
    // A key of the organization belongs to no tenant: who administers the organization sees it, from any of
    // its tenants.
    const ofKey = { count: 2, details: { reason: 'tenant_forbidden' } };
    expect(await shownTo(world, world.own, 'organization_admin')).toMatchObject([ofKey, { count: 1 }]);
    expect(await shownTo(world, sister, 'organization_admin')).toMatchObject([ofKey]);
    expect(await shownTo(world, stranger, 'organization_admin')).toEqual([]);
  });

  it('of somebody with a good bearer and no part in the tenant is in that tenant’s audit', async () => {
    const world = await aGuardedWorld();
    const authorization = `Bearer ${world.strangerBearer}`;
    expect(await ask(world, { authorization, 'x-tenant-id': world.own.tenantId })).toBe(403);
    await world.settle();
    expect(await shownTo(world, world.own, 'admin')).toMatchObject([
      {
        user_id: 'mallory',
        key_id: 'bearer',
        details: { reason: 'membership_missing', credential: 'bearer' },
      },
    ]);
  });
});

describe('a refused request of nobody known', () => {
  it('is shown to administrators of organizations, by its address and never by its credential', async () => {
    const world = await aGuardedWorld();
    const unknown = newApiKey();
    const pasted = 'hunter2-is-a-password';
    await ask(world, { 'x-api-key': unknown });
    await ask(world, { 'x-api-key': pasted });
    await ask(world, { authorization: `Bearer ${pasted}` });
    await ask(world, {});
    await world.settle();
    expect(await shownTo(world, world.own, 'admin')).toEqual([]);
    for (const tenant of [world.own, ...world.foreign])
      expect(await shownTo(world, tenant, 'organization_admin')).toMatchObject([
        {
          user_id: null,
          key_id: null,
          count: 4,
          details: { status: 401, source_address: '127.0.0.1', credential: expect.stringMatching(/^slp_/) },
        },
      ]);
    const stored = JSON.stringify(await allItems(world.deps.table));
    expect(stored).not.toContain(pasted);
    expect(stored).not.toContain(unknown.slice(8, -4));
  });

  it('is in the audit of the tenant that it names, where there is such a one', async () => {
    const world = await aGuardedWorld();
    const { tenantId } = world.own;
    await ask(world, { 'x-tenant-id': tenantId.toUpperCase() });
    await ask(world, { 'x-tenant-id': world.deps.clock.randomId() });
    await ask(world, { 'x-tenant-id': `${tenantId}#AU` });
    await world.settle();
    expect(await shownTo(world, world.own, 'admin')).toMatchObject([{ count: 1, key_id: null }]);
    const [other] = world.foreign;
    expect(other && (await shownTo(world, other, 'organization_admin'))).toMatchObject([{ count: 2 }]);
  });

  it('is one of a bounded number of events, however many processes are told by however many addresses', async () => {
    const world = await aGuardedWorld();
    const hour = world.deps.clock.now() - (world.deps.clock.now() % 3_600_000);
    const details = { status: 401, operation: 'getListener', credential: 'none' };
    const noteFrom = (caller: string): RefusalNote => ({
      ...{ id: world.deps.clock.orderedId(), hour, count: 1, caller, request_id: 'r' },
      claimed_tenant_id: world.own.tenantId,
      details: { ...details, source_address: caller },
    });
    for (let n = 0; n < CALLERS_MAX + 20; n++) await noteRefusal(world.deps, noteFrom(`address ${n}`));
    const events = (await allItems(world.deps.table)).filter(({ action }) => action === 'request.refuse');
    expect(events).toHaveLength(CALLERS_MAX + 1);
    const others = events.find(({ details: of }) => JSON.stringify(of).includes('various'));
    expect(others).toMatchObject({ count: 20, details: { ...details, credential: 'various' } });
    expect(JSON.stringify(others)).not.toContain('address');
    // Who is known is still told apart.
    const known = { ...noteFrom('a key'), tenant_id: world.own.tenantId, user_id: 'u', key_id: 'k' };
    await noteRefusal(world.deps, known);
    expect((await shownTo(world, world.own, 'admin'))[0]).toMatchObject({ key_id: 'k', count: 1 });
  });

  it('is counted once for each of many at once', async () => {
    const world = await aGuardedWorld();
    for (let n = 0; n < 8; n++) await ask(world, {});
    const notes: RefusalNote[] = [];
    const again = countedRefusals((note) => notes.push(note));
    world.deps.auditLog = { handedOut: () => undefined, refused: again };
    for (let n = 0; n < 8; n++) await ask(world, {});
    await Promise.all(notes.map((note) => noteRefusal(world.deps, note)));
    const [event, ...more] = await shownTo(world, world.own, 'organization_admin');
    expect([event?.count, more]).toEqual([8, []]);
  });
});

it('a page that refuses a browser is in the audit, too', async () => {
  const world = await aGuardedWorld();
  const found = routes.find(({ operation }) => operation === 'begin');
  if (found === undefined) throw new Error('no such route');
  const { deps, own } = world;
  const begin = await handlerOf(found, deps);
  const nonce = await nonceOf(world);
  const event = apiEvent({ method: 'POST', path: found.path, params: { nonce }, body: 'form_token=wrong' });
  expect((await begin(event, lambdaContext())).statusCode).toBe(403);
  await world.settle();
  expect(await shownTo(world, own, 'organization_admin')).toMatchObject([
    { request_id: 'request-1', details: { status: 403, operation: 'begin', source_address: '127.0.0.1' } },
  ]);
});

async function nonceOf({ deps, own }: SecurityWorld): Promise<string> {
  const asked = rowOf('authenticate');
  const handler = await handlerOf(asked, deps);
  const body = { provider: own.ids.provider_id, scopes: ['x'] };
  const headers = { 'x-api-key': own.keys.developer };
  const answer = await handler(
    apiEvent({ method: 'POST', path: asked.path, body, headers }),
    lambdaContext(),
  );
  const { url }: { url: string } = JSON.parse(answer.body ?? '');
  return url.split('/').at(-1) ?? '';
}
