import { describe, expect, it } from 'vitest';
import { deliveryMarkKey, pushDeliveryKey } from '../../../lib/features/pushes/store.ts';
import { put } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import {
  commitOf,
  deliver,
  deliveries,
  fromGitHub,
  push,
  pushPayload,
} from '../../support/world/git-host.ts';
import { change, postRevision, revisions } from '../../support/world/requests.ts';
import { ADDRESS, commits, HEAD, storePaths, watching } from '../../support/world/watching.ts';
import { allItems } from '../../support/world/world.ts';

/** A host whose push was heard of, and a call to look at its head that was lost. */
async function lost(config: object = {}) {
  const scene = await watching(config);
  const { world, host, integrationId } = scene;
  world.deps.headWaker = { wake: () => Promise.reject(new Error('no function is free')) };
  host.heads.set(HEAD, commitOf('1'));
  const pushed = await push(world, integrationId, 'one', { address: ADDRESS });
  const latest = async () => (await deliveries(world, integrationId)).resources[0];
  return { ...scene, pushed, latest };
}

describe('a delivery', () => {
  it('is kept and answered before its head is looked at, with what else it was about', async () => {
    const { world, host, id, integrationId } = await watching();
    const woken: unknown[] = [];
    world.deps.headWaker = { wake: async (head) => void woken.push(head) };
    host.heads.set(HEAD, commitOf('1'));
    const asked = host.asked;
    const body = JSON.stringify(pushPayload({ address: ADDRESS }));
    const sent = { integrationId, body, headers: fromGitHub(body, 'one') };
    const answer = await deliver(world, sent);
    const outcomes = [{ deployment_id: id, revision_id: null, reason: null }];
    expect(answer).toMatchObject({ status: 200, body: { pending: true, revision_ids: [], outcomes } });
    expect(host.asked).toBe(asked);
    expect((await deliveries(world, integrationId)).resources).toEqual([answer.body]);
    expect(await deliver(world, sent)).toEqual(answer);
    expect(woken).toEqual([woken[0], woken[0]]);
  });

  it('is made good by the next look where the call to look at once is lost', async () => {
    const { world, id, pushed, latest, heads } = await lost();
    expect(pushed).toMatchObject({ pending: true, revision_ids: [] });
    expect(await heads({})).toEqual({ looked: 1, made: 1, failed: 0 });
    const [newest] = (await revisions(world, id)).resources;
    expect(newest).toMatchObject({ cause: { kind: 'push', delivery_id: pushed.id, reason: null } });
    expect(await latest()).toMatchObject({ pending: false, revision_ids: [newest?.id] });
    expect(await heads({})).toMatchObject({ looked: 0 });
    const kinds = (await allItems(world.deps.table)).map(({ entity }) => entity);
    expect(kinds).not.toContain('awaited_push');
  });

  it('waits with others for one look, which tells all of them', async () => {
    const { world, host, id, integrationId, heads } = await lost();
    for (let n = 0; n < 60; n += 1) {
      host.heads.set(HEAD, commitOf('2'));
      await push(world, integrationId, `more ${n}`, { address: ADDRESS });
    }
    const asked = host.asked;
    expect(await heads({})).toEqual({ looked: 1, made: 1, failed: 0 });
    expect(host.asked - asked).toBeLessThan(5);
    const { resources } = await deliveries(world, integrationId, { limit: '100' });
    expect(resources.map(({ pending }) => pending)).toEqual(Array(61).fill(false));
    expect(resources[0]?.revision_ids).toHaveLength(1);
    expect(await commits(world, id)).toEqual(['2', '0']);
  });

  it('waits where a revision is refused for a limit, says so, and its head stays due', async () => {
    const { world, id, latest, heads } = await lost();
    // What is queued already has the next one wait.
    await postRevision(world, id);
    const { limits } = world.deps.settings;
    limits.waitingRevisions = 0;
    const reason = expect.stringContaining('0 revisions of this tenant wait already');
    for (let n = 0; n < 3; n += 1) {
      expect(await heads({})).toEqual({ looked: 1, made: 0, failed: 1 });
      const outcomes = [{ deployment_id: id, revision_id: null, reason }];
      expect(await latest()).toMatchObject({ pending: true, revision_ids: [], outcomes });
      expect(await heads({})).toMatchObject({ looked: 0 });
      // No later than any other: what is waited for may go on at any time.
      world.advance(300);
    }
    limits.waitingRevisions = 10;
    expect(await heads({})).toEqual({ looked: 1, made: 1, failed: 0 });
    expect(await latest()).toMatchObject({ pending: false, outcomes: [{ deployment_id: id, reason: null }] });
    expect(await commits(world, id)).toEqual(['1', undefined, '0']);
  });

  it('about a repository that its deployment has left comes to an end', async () => {
    const { world, id, latest, heads } = await lost();
    await change(world, id, { source_config: { repo_url: 'https://git.example/team/other.git' } });
    await heads({});
    const reason = 'the deployment builds no pushes to it any more';
    expect(await latest()).toMatchObject({ pending: false, outcomes: [{ deployment_id: id, reason }] });
  });

  it('that an earlier release has taken is shown as it was', async () => {
    const { world, id, integrationId } = await watching();
    const { tenantId: tenant_id } = world.caller;
    const item = {
      v: 1,
      entity: 'delivery',
      tenant_id,
      integration_id: integrationId,
      id: world.deps.clock.orderedId(),
      delivery_id: 'old',
      event: 'push',
      at: '2026-01-01T00:00:00.000Z',
      outcomes: [{ deployment_id: id, reason: 'it was so' }],
      done: false,
      ttl: 1,
    };
    const mark = { v: 1, entity: 'delivery_mark', tenant_id, id: item.id, ttl: 1 };
    await transact(world.deps.table, [
      put('delivery', { ...pushDeliveryKey(tenant_id, integrationId, item.id), ...item }),
      put('mark', { ...deliveryMarkKey(tenant_id, integrationId, 'old'), ...mark }),
    ]);
    const outcomes = [{ deployment_id: id, revision_id: null, reason: 'it was so' }];
    expect((await deliveries(world, integrationId)).resources).toMatchObject([{ pending: false, outcomes }]);
    expect(await push(world, integrationId, 'old', { address: ADDRESS })).toMatchObject({ outcomes });
  });
});

describe('a push whose paths could not be evaluated', () => {
  it.each([
    ['what changed is unknown', undefined, undefined, 'could not be found out'],
    ['they stand for too many globs', [`${'{a,b}/'.repeat(7)}c`], ['x'], 'at most 64'],
    ['they are too many', undefined, Array<string>(3).fill('ab/'.repeat(9_000_000)), 'too many'],
  ])('is built and says why: %s', async (_, stored, changed, words) => {
    const { world, host, id, pushed } = await watching({ push_paths: ['**/{a,b}*c/**'] });
    if (stored !== undefined) await storePaths(world, id, stored);
    host.looks.set(commitOf('1'), { said: undefined, changed });
    expect((await pushed('one', commitOf('1'))).revision_ids).toHaveLength(1);
    const [newest] = (await revisions(world, id)).resources;
    expect(newest?.cause).toMatchObject({ kind: 'push', reason: expect.stringContaining(words) });
    expect(newest?.cause.reason).toMatch(/^its push_paths could not be evaluated: /);
  });
});
