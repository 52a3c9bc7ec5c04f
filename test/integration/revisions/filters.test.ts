import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revisionStatuses } from '../../../lib/contract/revision-status.ts';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import type { Deployment, Revision } from '../../../lib/core/items/items.ts';
import { countWithin, endsReader, noteEnds } from '../../../lib/core/items/revision-ends.ts';
import { findRevisionByNumber } from '../../../lib/core/items/revisions.ts';
import { revisionId } from '../../../lib/domain/revision-id.ts';
import { isTerminal, type Terminal, terminals } from '../../../lib/domain/transitions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey, revisionKey } from '../../../lib/store/keys/index.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { putAll } from '../../support/table/put-all.ts';
import { ended, inProgress } from '../../support/world/processed.ts';
import {
  github,
  interrupt,
  post,
  postRevision,
  register,
  remove,
  revisions,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

type Status = Revision['status'];
type History = { world: World; id: string; statuses: Status[] };

/**
 * A deployment whose revisions have these statuses, from number 1 on, each a kilobyte large. The last one
 * that is DEPLOYED is active. `noted`: whether the end of this number is, which those of old tables are not.
 */
async function withHistory(
  statuses: Status[],
  noted: (number: number) => boolean = () => true,
): Promise<History> {
  const world = await aWorld();
  await register(world, 'machine');
  const { id } = await post(world, github('many'));
  const { deps, caller } = world;
  const owner = { tenantId: caller.tenantId, deploymentId: id };
  const model = await findRevisionByNumber(deps.table, owner, 1);
  const deployment = await findDeployment(deps.table, owner.tenantId, id);
  if (model === undefined || deployment === undefined) throw new Error('nothing was made');
  const made = statuses.map((status, index): Revision => {
    const number = index + 1;
    return {
      ...model,
      id: revisionId(deps.clock.orderedId(), number),
      number,
      status,
      status_message: 'm'.repeat(400),
    };
  });
  await putAll(
    deps.table,
    made.map((one) => ({ ...revisionKey(owner.tenantId, id, one.number), ...one })),
  );
  for (const status of terminals) {
    const such = made.filter((one) => one.status === status && noted(one.number));
    const notes = noteEnds(such, status);
    if (notes.length > 0) await transact(deps.table, notes);
  }
  const active = made.findLast(({ status }) => status === 'DEPLOYED');
  const latest: Deployment = {
    ...deployment,
    latest_number: made.length,
    latest_revision_id: made.at(-1)?.id ?? '',
    queued: made.filter(({ status }) => status === 'QUEUED').map(({ number }) => number),
    ...(active !== undefined && {
      active: { revision_id: active.id, number: active.number, healthy: true, epoch: 1, reconciled: true },
    }),
  };
  await putAll(deps.table, [{ ...deploymentKey(owner.tenantId, id), ...latest }]);
  return { world, id, statuses };
}

/** Read units that a list of revisions consumes, beside those of its own items where there is one at most. */
const costOf = async ({ world, id }: History, query: Record<string, string>): Promise<number> =>
  (await unitsOf(world.deps.table.client, () => revisions(world, id, { limit: '1', ...query }))).reads;

const many = (count: number, status: Status): Status[] => Array.from({ length: count }, () => status);

describe('the cost of a filtered list of revisions', () => {
  it('is next to nothing for what is passed over, by status and by what runs', async () => {
    const history = await withHistory([
      ...many(4, 'INTERRUPTED'),
      'DEPLOYED',
      ...many(394, 'BUILD_FAILED'),
      'BUILDING',
      ...many(100, 'QUEUED'),
    ]);
    const cost = (query: Record<string, string>) => costOf(history, query);
    // Each is the deployment, the revision that is in progress, and the notes of five hundred; then the one
    // that is shown.
    expect(await cost({ status: 'CREATE_FAILED' })).toBe(3);
    expect(await cost({ status: 'DEPLOYED' })).toBe(4);
    expect(await cost({ status: 'BUILD_FAILED', offset: '390' })).toBe(4);
    expect(await cost({ status: 'BUILD_FAILED,DEPLOYED', offset: '394' })).toBe(4);
    // What is queued the deployment tells.
    expect(await cost({ status: 'QUEUED', offset: '99' })).toBe(3);
    // The deployment and what is shown.
    expect(await cost({ remote_reconciled: 'true' })).toBe(2);
    expect(await cost({ remote_reconciled: 'false', offset: '400' })).toBe(2);
    expect(await cost({ remote_reconciled: 'true', status: 'DEPLOYED' })).toBe(3);
    expect(await cost({ status: 'BUILD_FAILED', limit: '100' })).toBeLessThanOrEqual(30);
  });
});

describe('a filtered list of revisions', () => {
  it('is what filtering all of them gives, whether their ends were noted or not', async () => {
    // More of them than are read at a time are not noted.
    const statuses = Array.from({ length: 60 }, (_, n): Status => {
      if (n > 54) return 'QUEUED';
      return n === 54 ? 'UNKNOWN' : (terminals[(n * 7 + Math.floor(n / 5)) % terminals.length] ?? 'SKIPPED');
    });
    const history = await withHistory(statuses, (number) => number > 30 && number % 9 !== 0);
    const { world, id } = history;
    const { resources: all } = await revisions(world, id, { limit: '100' });
    const query = fc.record({
      status: fc.option(fc.subarray([...revisionStatuses], { minLength: 1 }), { nil: undefined }),
      reconciled: fc.option(fc.boolean(), { nil: undefined }),
      offset: fc.nat(30),
      limit: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ status, reconciled, offset, limit }) => {
        const found = all.filter(
          (one) =>
            (status?.includes(one.status) ?? true) &&
            (reconciled === undefined || reconciled === one.remote_reconciled),
        );
        const asked = {
          ...(status !== undefined && { status: status.join(',') }),
          ...(reconciled !== undefined && { remote_reconciled: String(reconciled) }),
          offset: String(offset),
          limit: String(limit),
        };
        const expected = found.slice(offset, offset + limit);
        const skipped =
          status === undefined && reconciled === undefined
            ? Math.min(offset, all.length)
            : Math.min(offset, found.length);
        expect(await revisions(world, id, asked)).toEqual({
          resources: expected,
          offset: skipped + expected.length,
        });
      }),
      { numRuns: 25 },
    );
  });
});

const nothing = { source_config: {}, source_revision_config: {} };

describe('how a revision ended', () => {
  it('is noted whichever way it ends', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const ways: [Terminal, () => Promise<string>][] = [
      ['SKIPPED', async () => (await post(world, { name: 'u', source: 'internal_source', ...nothing })).id],
      ['DEPLOYED', () => after(world, (id) => ended(world, id, 'DEPLOYED'))],
      ['BUILD_FAILED', () => after(world, (id) => ended(world, id, 'BUILD_FAILED'))],
      ['INTERRUPTED', () => after(world, async (id, first) => interrupt(world, id, first))],
      ['INTERRUPTED', () => after(world, (id) => remove(world, id))],
      [
        'INTERRUPTED',
        () => after(world, async (id) => [await inProgress(world, id, 'QUEUED'), await remove(world, id)]),
      ],
    ];
    for (const [status, way] of ways) {
      const deploymentId = await way();
      const owner = { tenantId: world.caller.tenantId, deploymentId };
      expect(await endsReader(world.deps.table, owner)(1)).toBe(status);
      const { latest_number: latest = 0 } =
        (await findDeployment(world.deps.table, owner.tenantId, deploymentId)) ?? {};
      for (let number = 1; number <= latest; number += 1) {
        const revision = await findRevisionByNumber(world.deps.table, owner, number);
        const noted = await endsReader(world.deps.table, owner)(number);
        expect(noted).toBe(revision && isTerminal(revision.status) ? revision.status : undefined);
      }
    }
  });
});

describe('notes of how revisions ended', () => {
  it('take no more writes with the revisions than there is room for, however far apart those are', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 100 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 2, max: 94 }), (apart, writesMax) => {
        let number = 0;
        const queued = apart.map((gap) => (number += gap));
        const writesFor = (count: number) => {
          const ends = queued
            .slice(0, count)
            .map((one) => ({ tenant_id: 't', deployment_id: 'd', number: one }));
          return ends.length + noteEnds(ends, 'INTERRUPTED').length;
        };
        const count = countWithin(queued, writesMax);
        expect(writesFor(count)).toBeLessThanOrEqual(writesMax);
        if (count < queued.length) expect(writesFor(count + 1)).toBeGreaterThan(writesMax);
      }),
      { numRuns: 50 },
    );
  });
});

/** A deployment with two queued revisions, after something was done to it. */
async function after(
  world: World,
  change: (id: string, firstRevision: string) => Promise<unknown>,
): Promise<string> {
  const { id, latest_revision_id: first } = await post(world, github(`d-${world.deps.clock.randomId()}`));
  await postRevision(world, id);
  await change(id, first ?? '');
  return id;
}
