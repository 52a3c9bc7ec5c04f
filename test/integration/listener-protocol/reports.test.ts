import { describe, expect, it } from 'vitest';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { reportStatus as row } from '../../../lib/features/listener-protocol/routes.ts';
import type { ClaimRequest, StatusReports } from '../../../lib/features/listener-protocol/shape.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { claimWith } from '../../support/world/counting.ts';
import { type Listening, listening, offered } from '../../support/world/listening.ts';
import { ended } from '../../support/world/processed.ts';
import { github, post, refusedWith, register, show } from '../../support/world/requests.ts';

/** Tells what runs, and gives how many of the reports were accepted. */
type Tell = (world: Listening, reports: StatusReports) => Promise<number | undefined>;

const byStatus: Tell = async ({ deps, listenerId, caller }, reports) => {
  const input = { params: { listener_id: listenerId }, body: row.body.parse({ reports }) };
  return (await reportStatus(deps, input, caller)).accepted;
};
const byClaim: Tell = async (world, reports) => (await claimWith(world, { reports })).reported;

describe.each([
  ['a request of their own', byStatus],
  ['a claim', byClaim],
])('reports by %s', (_, tell) => {
  async function running() {
    const world = await listening();
    const { id } = await post(world, github('a', { secrets: [{ name: 'TOKEN', value: 'a-secret' }] }));
    const { id: revision_id } = await ended(world, id, 'DEPLOYED', { outcome: { epoch: 5 } });
    const report = { deployment_id: id, revision_id, epoch: 5, healthy: true };
    return { world, id, report };
  }

  it('say how the deployment is, without its secrets', async () => {
    const { world, id, report } = await running();
    const status = async () => (await show(world, id)).status;
    expect(await tell(world, [{ ...report, healthy: false, reason: 'a-secret is wrong' }])).toBe(1);
    expect(await status()).toBe('UNKNOWN');
    const deployment = await findDeployment(world.deps.table, world.caller.tenantId, id);
    expect(deployment?.active).toMatchObject({ healthy: false, reason: '*** is wrong' });
    expect(await tell(world, [{ ...report, url: 'https://a.example' }])).toBe(1);
    expect(await status()).toBe('READY');
    expect(await tell(world, [{ ...report, revision_id: null }])).toBe(1);
    expect(await status()).toBe('UNKNOWN');
  });

  it('change nothing when they are of an earlier epoch, of nothing, or of what another listener runs', async () => {
    const { world, id, report } = await running();
    const bad = { ...report, healthy: false };
    const nobodys = { ...bad, deployment_id: world.deps.clock.randomId() };
    expect(await tell(world, [{ ...bad, epoch: 4 }, nobodys])).toBe(0);
    const other = { ...world, listenerId: (await register(world, 'other')).id };
    expect(await tell(other, [bad])).toBe(0);
    expect((await show(world, id)).status).toBe('READY');
    expect(await tell(world, [])).toBe(0);
  });
});

describe('a claim with reports', () => {
  it('has taken them when it looks for work, and one without is not answered for any', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    const { id: revision_id } = await ended(world, id, 'DEPLOYED', { outcome: { epoch: 5 } });
    await offered(world, 'b');
    const answer = await claimWith(world, {
      reports: [{ deployment_id: id, revision_id, epoch: 5, healthy: false }],
    });
    expect(answer).toMatchObject({ reported: 1, tasks: [{ deployment_name: 'b' }] });
    expect((await show(world, id)).status).toBe('UNKNOWN');
    expect(await claimWith(world, {})).not.toHaveProperty('reported');
  });

  it('of a listener that is not there records nothing', async () => {
    const world = await listening();
    const nobody = { ...world, listenerId: world.deps.clock.randomId() };
    const reports: ClaimRequest['reports'] = [];
    expect(await refusedWith(claimWith(nobody, { reports }))).toMatch(/^404 /u);
  });

  it('that are known already costs one read more, where a request of their own costs three', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    const { id: revision_id } = await ended(world, id, 'DEPLOYED', { outcome: { epoch: 5 } });
    const report = { deployment_id: id, revision_id, epoch: 5, healthy: true };
    const reports = Array.from({ length: 10 }, () => report);
    const { client } = world.deps.table;
    const units = (said: { reports?: StatusReports }) => unitsOf(client, () => claimWith(world, said));
    await units({ reports });
    const without = await units({});
    expect(await units({ reports })).toEqual({ reads: without.reads + 1, writes: 0 });
    expect(await units({ reports: [] })).toEqual(without);
    expect(await unitsOf(client, () => byStatus(world, reports))).toEqual({ reads: 3, writes: 0 });
  });
});
