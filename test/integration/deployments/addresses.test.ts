import { describe, expect, it } from 'vitest';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { deployment as newest } from '../../../lib/core/items/items.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { type Listening, listening } from '../../support/world/listening.ts';
import { ended } from '../../support/world/processed.ts';
import { change, github, post, postRevision, show } from '../../support/world/requests.ts';

const at = (n: number): string => `http://localhost:${4000 + n}/d/a`;

/** What serves reports that it answers here. */
async function report(world: Listening, id: string, url: string, healthy = true): Promise<void> {
  const deployment = await findDeployment(world.deps.table, world.caller.tenantId, id);
  const revision_id = deployment?.active?.revision_id ?? '';
  const body = {
    reports: [{ deployment_id: id, epoch: deployment?.epoch ?? 0, revision_id, healthy, url }],
  };
  await reportStatus(world.deps, { params: { listener_id: world.listenerId }, body }, world.caller);
}

/** A deployment that serves at the first address. */
async function serving(): Promise<{ world: Listening; id: string }> {
  const world = await listening();
  const { id } = await post(world, github('a'));
  expect((await show(world, id)).url).toBeNull();
  await ended(world, id, 'DEPLOYED', { outcome: { url: at(0) } });
  return { world, id };
}

const sendBack = (world: Listening, id: string, custom_url: string | null) =>
  change(world, id, { source_config: { custom_url } });

describe('an earlier answer that is sent back', () => {
  it('pins no address: the last ten are the listener’s', async () => {
    const { world, id } = await serving();
    const read = await show(world, id);
    expect(read.source_config.custom_url).toBe(at(0));
    for (let n = 1; n <= 9; n++) {
      await report(world, id, at(n));
      expect(await sendBack(world, id, at(0))).toMatchObject({
        config_version: read.config_version,
        url: at(n),
        source_config: { custom_url: at(n) },
      });
    }
    await report(world, id, at(10));
    const pinned = await sendBack(world, id, at(0));
    expect(pinned).toMatchObject({ url: at(10), source_config: { custom_url: at(0) } });
  });

  it('pins none after another revision, nor in another spelling', async () => {
    const { world, id } = await serving();
    await postRevision(world, id);
    await ended(world, id, 'DEPLOYED', { outcome: { url: at(1) } });
    for (const spelled of [at(0), `${at(0)}/`, at(1).toUpperCase().replace('/D/A', '/d/a')])
      expect((await sendBack(world, id, spelled)).source_config.custom_url).toBe(at(1));
  });

  it('takes no address of one’s own away', async () => {
    const { world, id } = await serving();
    const own = 'https://mine.example';
    expect(await sendBack(world, id, own)).toMatchObject({ url: at(0), source_config: { custom_url: own } });
    expect((await sendBack(world, id, at(0))).source_config.custom_url).toBe(own);
    expect((await sendBack(world, id, '')).source_config.custom_url).toBe(at(0));
  });

  it('is known of a deployment that an earlier release has stored', async () => {
    const { world, id } = await serving();
    const { tenantId } = world.caller;
    await transact(world.deps.table, [
      update('deployment', deploymentKey(tenantId, id), { set: { v: 3 }, remove: ['reported_urls'] }),
    ]);
    expect((await sendBack(world, id, at(0))).source_config.custom_url).toBe(at(0));
    await report(world, id, at(1));
    expect((await sendBack(world, id, at(0))).source_config.custom_url).toBe(at(1));
    expect(await findDeployment(world.deps.table, tenantId, id)).toMatchObject({
      v: newest.shape.v.value,
      reported_urls: [at(1), at(0)],
    });
  });
});

describe('the address that answers', () => {
  it('is the reported one, and none while the listener says that nothing does', async () => {
    const { world, id } = await serving();
    expect((await show(world, id)).url).toBe(at(0));
    await report(world, id, at(0), false);
    expect(await show(world, id)).toMatchObject({ url: null, source_config: { custom_url: at(0) } });
    await report(world, id, at(1));
    expect((await show(world, id)).url).toBe(at(1));
  });
});
