import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { KeyContext, Keys } from '../../../lib/adapters/keys.ts';
import { exampleOf } from '../../../lib/contract/openapi/examples/index.ts';
import { allows, type Permission, permissions, roles } from '../../../lib/contract/roles.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import { authenticateCaller } from '../../../lib/core/identity/authenticate.ts';
import { getDeployment } from '../../../lib/features/deployments/get.ts';
import { getDeployment as getDeploymentRow } from '../../../lib/features/deployments/routes.ts';
import { authentication } from '../../../lib/http/authentication.ts';
import { authorization } from '../../../lib/http/authorization.ts';
import { chain, serve } from '../../../lib/http/endpoint.ts';
import { errorAnswers, unavailable } from '../../../lib/http/errors.ts';
import type { Handler, Middleware } from '../../../lib/http/exchange.ts';
import { inputOf } from '../../../lib/http/request.ts';
import { successAnswer } from '../../../lib/http/respond.ts';
import type { Table } from '../../../lib/store/table.ts';
import { findingsOf, handlerOf, idsIn, isGuarded, request } from '../../support/http/security-loop.ts';
import { aCaller } from '../../support/world/caller.ts';
import { aSecurityWorld, type SecurityWorld } from '../../support/world/security-world.ts';
import { allItems } from '../../support/world/world.ts';

const guarded = routes.filter(isGuarded);

/** What other tenants have, but for their API keys' own items, which lie under hashes. */
async function foreignItems({ deps, foreign }: SecurityWorld) {
  const items = await allItems(deps.table);
  return items.filter(({ pk }) => foreign.some(({ tenantId }) => String(pk).includes(tenantId)));
}

let made: Promise<SecurityWorld> | undefined;
function newWorld(): Promise<SecurityWorld> {
  made = aSecurityWorld();
  return made;
}
/**
 * For what needs its table and its names alone: all else of a world goes with the test that it was made for.
 */
const someWorld = (): Promise<SecurityWorld> => made ?? newWorld();

describe('every route of the table', () => {
  it('guards itself: bad credentials, roles, tenants and other tenants’ ids, and nothing of theirs is changed', async () => {
    const world = await newWorld();
    const before = await foreignItems(world);
    expect(before.length).toBeGreaterThan(20);
    const findings: string[] = [];
    for (const row of guarded) {
      const found = await findingsOf(row, await handlerOf(row, world.deps), world);
      findings.push(...found.map((finding) => `${row.operation}: ${finding}`));
    }
    expect(findings).toEqual([]);
    expect(await foreignItems(world)).toEqual(before);
  });

  it('is asked with ids of things that are there', async () => {
    const { own } = await someWorld();
    const named = new Set(guarded.flatMap(idsIn));
    // A new kind of id needs a thing of its kind in test/support/world/security-world.ts.
    expect([...named].filter((name) => own.ids[name] === undefined)).toEqual([]);
  });

  it('shows the own things, so that it is the tenant that keeps others out', async () => {
    const { deps, own } = await newWorld();
    const shown = guarded.filter(
      ({ method, permission }) => method === 'GET' && permission !== 'listener:work',
    );
    for (const row of shown) {
      const answer = await request(row, await handlerOf(row, deps), {
        headers: { 'x-api-key': own.keys.organization_admin },
        params: own.ids,
      });
      expect([row.operation, answer.statusCode]).toEqual([row.operation, 200]);
    }
  });

  it('opens sealed values in the name of the own tenant alone, whatever ids it is asked with', async () => {
    const { deps, own, foreign } = await newWorld();
    const opened: KeyContext[] = [];
    const keys: Keys = {
      ...deps.keys,
      openDataKey: (wrapped, context) => {
        opened.push(context);
        return deps.keys.openDataKey(wrapped, context);
      },
    };
    for (const row of guarded) {
      const handler = await handlerOf(row, { ...deps, keys });
      const role = roles.find((each) => allows(each, row.permission)) ?? 'admin';
      const body = row.body === undefined ? {} : { body: exampleOf(row.operation).body };
      for (const { ids } of [...foreign, own])
        await request(row, handler, { headers: { 'x-api-key': own.keys[role] }, params: ids, ...body });
    }
    const theirs = foreign.flatMap(({ tenantId, ids }) => [tenantId, ...Object.values(ids)]);
    const shared = new Set(Object.values(own.ids));
    const foreignIds = theirs.filter((id) => !shared.has(id));
    const wrong = opened.filter((context) => Object.values(context).some((id) => foreignIds.includes(id)));
    expect(opened.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  it('asks for permissions that some role has, and every permission is asked for', () => {
    const asked = new Set<Permission>(guarded.map(({ permission }) => permission));
    expect([...asked].filter((permission) => !roles.some((role) => allows(role, permission)))).toEqual([]);
    // Use cases ask for these, by what a request names.
    const ofOrganization = permissions.filter((permission) => permission.startsWith('organization_'));
    expect(ofOrganization.length).toBeGreaterThan(0);
    const unasked = permissions.filter((permission) => !asked.has(permission));
    expect(unasked.toSorted()).toEqual(ofOrganization.toSorted());
  });

  it.each([
    ['says nothing of what is wrong with the table', new Error('not authorized on table-name'), 500],
    ['says when to come again while the table is throttled', throttled, 503],
  ])('%s', async (_, error, statusCode) => {
    const { deps, own } = await newWorld();
    const broken = { ...deps, table: brokenTable(deps.table, error) };
    for (const row of guarded) {
      const role = roles.find((each) => allows(each, row.permission)) ?? 'admin';
      const headers = { 'x-api-key': own.keys[role] };
      const answer = await request(row, await handlerOf(row, broken), {
        headers,
        params: own.ids,
        ...(row.body !== undefined && { body: exampleOf(row.operation).body }),
      });
      expect([row.operation, answer.statusCode, answer.body]).toEqual([
        row.operation,
        statusCode,
        expect.not.stringContaining('table-name'),
      ]);
      if (statusCode === 503) expect(answer.headers).toMatchObject({ 'retry-after': expect.any(String) });
    }
  });
});

const throttled = new ProvisionedThroughputExceededException({ message: 'of table-name', $metadata: {} });

/** The table of a world in which nothing but API keys can be read. */
function brokenTable(table: Table, error: Error): Table {
  const send = async (command: object): Promise<unknown> => {
    const isOfKey = command instanceof GetCommand && String(command.input.Key?.pk).startsWith('K#');
    if (!isOfKey) throw error;
    return table.client.send(command);
  };
  const client: Table['client'] = Object.create(table.client);
  return { ...table, client: Object.assign(client, { send }) };
}

/** A handler of getDeployment with other steps before it, or another use case behind them. */
function careless(
  world: SecurityWorld,
  identity: Middleware[],
  run: typeof getDeployment = getDeployment,
): Handler {
  const errors = errorAnswers(getDeploymentRow.operation, unavailable);
  return serve(chain(getDeploymentRow, errors, identity), async (event, exchange) => {
    const { tenantId, organizationId } = world.own;
    const { caller = aCaller({ tenantId, organizationId }) } = exchange;
    const output = await run(world.deps, inputOf<typeof getDeploymentRow>(event, exchange), caller);
    return successAnswer(getDeploymentRow, event, output);
  });
}

describe('the loop', () => {
  const row = guarded.find(({ operation }) => operation === 'getDeployment');
  if (row === undefined) throw new Error('no such row');
  const authenticated = ({ deps }: SecurityWorld) => authentication(authenticateCaller, () => deps);
  const authorized = authorization('deployments:read');

  it('finds nothing in a handler with both steps', async () => {
    const world = await someWorld();
    expect(await findingsOf(row, careless(world, [authenticated(world), authorized]), world)).toEqual([]);
  });

  it('finds a handler that does not authorise', async () => {
    const world = await someWorld();
    const findings = await findingsOf(row, careless(world, [authenticated(world)]), world);
    expect(findings).toEqual([expect.stringMatching(/^listener: 404 /)]);
  });

  it('finds a handler that does not authenticate', async () => {
    const world = await someWorld();
    const findings = await findingsOf(row, careless(world, []), world);
    expect(findings).toEqual(expect.arrayContaining([expect.stringMatching(/^no key: 200 /)]));
  });

  it('finds a use case that looks under another tenant', async () => {
    const world = await someWorld();
    const open: typeof getDeployment = async (deps, input, caller) => {
      const owner = world.foreign.find(({ ids }) => ids.deployment_id === input.params.deployment_id);
      return getDeployment(deps, input, { ...caller, ...owner });
    };
    const handler = careless(world, [authenticated(world), authorized], open);
    const findings = await findingsOf(row, handler, world);
    expect(findings.join('\n')).toMatch(/deployment_id of another tenant: 200 /);
  });

  it('finds an answer that tells another tenant’s thing from nothing', async () => {
    const world = await someWorld();
    const telling: typeof getDeployment = async (deps, input, caller) => {
      const isTheirs = world.foreign.some(({ ids }) => ids.deployment_id === input.params.deployment_id);
      if (isTheirs) throw new Error('not yours');
      return getDeployment(deps, input, caller);
    };
    const handler = careless(world, [authenticated(world), authorized], telling);
    const findings = await findingsOf(row, handler, world);
    expect(findings.join('\n')).toMatch(/answers 500/);
  });
});
