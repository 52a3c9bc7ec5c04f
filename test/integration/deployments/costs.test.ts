import { describe, expect, it } from 'vitest';
import { routes } from '../../../lib/contract/routes/index.ts';
import { issueApiKey } from '../../../lib/core/identity/issue-api-key.ts';
import { rowOf } from '../../../lib/core/items/deployment-rows.ts';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import type { Revision } from '../../../lib/core/items/items.ts';
import { findRevisionByNumber } from '../../../lib/core/items/revisions.ts';
import { apiHandler } from '../../../lib/embedded/runtime/handlers.ts';
import { deploymentKey, deploymentRowKey, revisionKey } from '../../../lib/store/keys/index.ts';
import { apiEvent, type EventParts, lambdaContext } from '../../support/http/event.ts';
import { type Units, unitsOf } from '../../support/table/consumed.ts';
import { putAll } from '../../support/table/put-all.ts';
import { claim } from '../../support/world/listening.ts';
import { ended } from '../../support/world/processed.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

/** What the key of whoever asks costs to read, whatever is asked. */
const AUTHENTICATION_UNITS = 1;

type Asked = EventParts & { operation: string; status?: number };

/** What an endpoint consumes beyond authentication, measured by the database; the request must succeed. */
async function costOf(world: World, { operation, status = 200, ...parts }: Asked): Promise<Units> {
  const { deps, caller } = world;
  const row = routes.find((each) => each.operation === operation);
  if (row === undefined) throw new Error(operation);
  const { tenantId, organizationId, userId } = caller;
  const name = 'a key';
  const key = await issueApiKey(deps, { tenantId, organizationId, userId, role: 'admin', name });
  const handler = await apiHandler(row, () => deps);
  const headers = { ...parts.headers, 'x-api-key': key };
  const event = apiEvent({ method: row.method, path: row.path, ...parts, headers });
  const units = await unitsOf(deps.table.client, async () => {
    const answer = await handler(event, lambdaContext());
    expect(answer).toMatchObject({ statusCode: status });
  });
  process.stdout.write(
    `${operation}: ${units.reads - AUTHENTICATION_UNITS} read, ${units.writes} write units\n`,
  );
  return { ...units, reads: units.reads - AUTHENTICATION_UNITS };
}

describe('capacity units beyond authentication', () => {
  it('of one deployment are those of its own item', async () => {
    const world = await aWorld();
    const { id: listenerId } = await register(world, 'machine');
    const secrets = [{ name: 'TOKEN', value: 'v'.repeat(8_000) }];
    const { id } = await post(world, github('one', { secrets }));
    const asked = { operation: 'getDeployment', params: { deployment_id: id } };
    expect((await costOf(world, asked)).reads).toBe(1);
    await ended(world, id, 'DEPLOYED');
    await claim({ ...world, listenerId });
    // Whether its listener is online is asked once in a minute and a half.
    expect((await costOf(world, asked)).reads).toBe(2);
    expect((await costOf(world, asked)).reads).toBe(1);
  });

  it('of making a deployment are at most 15, and 20 with secrets and a key', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const create = { operation: 'createDeployment', status: 201 };
    expect((await costOf(world, { ...create, body: github('bare') })).writes).toBeLessThanOrEqual(15);
    const secrets = [
      { name: 'OPENAI_API_KEY', value: 's'.repeat(60) },
      { name: 'DATABASE_URL', value: 'd'.repeat(80) },
    ];
    const headers = { 'idempotency-key': 'once' };
    const full = { ...create, headers, body: github('with-secrets', { secrets }) };
    expect((await costOf(world, full)).writes).toBeLessThanOrEqual(20);
  });

  it('of a page of revisions are the same wherever it starts', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const { id } = await post(world, github('many'));
    await ended(world, id, 'DEPLOYED');
    await withRevisions(world, id, 1_000);
    const params = { deployment_id: id };
    const asked = { operation: 'listRevisions', params };
    const first = await costOf(world, { ...asked, query: { limit: '20' } });
    const late = await costOf(world, { ...asked, query: { limit: '20', offset: '900' } });
    expect(late.reads / first.reads).toBeLessThanOrEqual(1.5);
    expect(first.reads / late.reads).toBeLessThanOrEqual(1.5);
  });

  it('of lists of deployments are those of the page, and little for what is passed over', async () => {
    const world = await aWorld();
    const { id: listenerId } = await register(world, 'machine');
    await withRows(world, listenerId, 10_000);
    for (let number = 0; number < 20; number += 1)
      await post(world, github(`newest-of-team-number-${number}`));
    const asked = { operation: 'listDeployments' };
    const first = await costOf(world, { ...asked, query: { limit: '20' } });
    expect(first.reads).toBeLessThanOrEqual(24);
    const named = await costOf(world, { ...asked, query: { name: 'newest-of-team-number-7' } });
    expect(named.reads).toBe(2);
    const passed = await costOf(world, { ...asked, query: { limit: '1', offset: '19' } });
    expect(passed.reads).toBe(2);
  });
});

/** A deployment with this many revisions, each like its first. */
async function withRevisions(world: World, deploymentId: string, count: number): Promise<void> {
  const { deps, caller } = world;
  const owner = { tenantId: caller.tenantId, deploymentId };
  const first = await findRevisionByNumber(deps.table, owner, 1);
  const deployment = await findDeployment(deps.table, owner.tenantId, deploymentId);
  if (first === undefined || deployment === undefined) throw new Error('nothing was made');
  const revisions = Array.from({ length: count }, (_, index): Revision => ({ ...first, number: index + 1 }));
  await putAll(
    world.deps.table,
    revisions.map((one) => ({ ...revisionKey(owner.tenantId, deploymentId, one.number), ...one })),
  );
  await putAll(deps.table, [
    { ...deploymentKey(owner.tenantId, deploymentId), ...deployment, latest_number: count },
  ]);
}

/** Rows of deployments older than all that are really made, as many as a list has to stand. */
async function withRows(world: World, listenerId: string, count: number): Promise<void> {
  const { deps, caller } = world;
  const { id } = await post(world, github('a-model-of-the-others'));
  const model = await findDeployment(deps.table, caller.tenantId, id);
  if (model === undefined) throw new Error('nothing was made');
  await putAll(
    world.deps.table,
    Array.from({ length: count }, (_, index) => {
      const older = `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
      const row = rowOf({
        ...model,
        id: older,
        name: `older-of-team-number-${index}`,
        listener_id: listenerId,
      });
      return { ...deploymentRowKey(caller.tenantId, older), ...row };
    }),
  );
}
