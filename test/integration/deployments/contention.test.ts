import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../lib/contract/errors.ts';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import {
  change,
  github,
  interrupt,
  post,
  postRevision,
  redeploy,
  refusal,
  refusedWith,
  register,
  revisions,
  show,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

async function made(): Promise<{ world: World; id: string; first: string }> {
  const world = await aWorld();
  await register(world, 'machine');
  const { id, latest_revision_id } = await post(world, github('a'));
  return { world, id, first: latest_revision_id };
}

/** Sends a request again when contention has outlasted it, as its answer asks for. */
async function persistent<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 503) throw error;
    }
  }
}

describe('requests at the same time', () => {
  it.each([
    [10, <T>(request: () => Promise<T>) => request()],
    [30, persistent],
  ] as const)('all land, with consecutive numbers: %i patches', async (count, send) => {
    const { world, id } = await made();
    const patches = Array.from({ length: count }, (_, n) =>
      send(() => change(world, id, { source_revision_config: { repo_ref: `branch-${n}` } })),
    );
    const answers = await Promise.all(patches);
    const { resources } = await revisions(world, id, { limit: '100' });
    expect(resources).toHaveLength(count + 1);
    expect(new Set(answers.map((shown) => shown.config_version)).size).toBe(count);
    const stored = await findDeployment(world.deps.table, world.caller.tenantId, id);
    expect(stored?.queued).toEqual(Array.from({ length: count + 1 }, (_, n) => n + 1));
    // Each answer names the revision it made, and that one has what was asked for.
    for (const [n, answer] of answers.entries()) {
      const own = resources.find((revision) => revision.id === answer.latest_revision_id);
      expect(own?.source_revision_config.repo_ref).toBe(`branch-${n}`);
    }
  });

  it('of different fields all end up in the configuration', async () => {
    const { world, id } = await made();
    const bodies = [
      { source_config: { install_command: 'a' } },
      { source_config: { build_command: 'b' } },
      { source_config: { custom_url: 'https://c.example' } },
      { secrets: [{ name: 'A', value: 'd' }] },
      { source_revision_config: { repo_ref: 'e' } },
      { tracked_packages: ['f'] },
    ];
    await Promise.all(bodies.map((body) => change(world, id, body)));
    expect(await show(world, id)).toMatchObject({
      source_config: { install_command: 'a', build_command: 'b', custom_url: 'https://c.example' },
      secrets: [{ name: 'A' }],
      source_revision_config: { repo_ref: 'e' },
      tracked_packages: ['f'],
      config_version: 7,
    });
  });

  it('go through collisions that the database reports', async () => {
    const { world, id } = await made();
    let collisions = 0;
    world.deps.table.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'TransactWriteItemsCommand' || commandName === 'TransactWriteCommand') {
            collisions += 1;
            if (collisions % 3 !== 0) {
              throw new TransactionCanceledException({
                message: 'cancelled',
                $metadata: {},
                CancellationReasons: [{ Code: 'TransactionConflict' }],
              });
            }
          }
          return next(args);
        },
      { step: 'initialize', name: 'collisions' },
    );
    await Promise.all(Array.from({ length: 5 }, () => postRevision(world, id)));
    expect(collisions).toBeGreaterThan(10);
    expect((await revisions(world, id)).resources).toHaveLength(6);
  });
});

describe('If-Match', () => {
  const body = { tracked_packages: [1] };

  it('lets the version through that is current, and any with *', async () => {
    const { world, id } = await made();
    expect((await change(world, id, body, '"1"')).config_version).toBe(2);
    expect((await change(world, id, { tracked_packages: [2] }, '"7", "2"')).config_version).toBe(3);
    expect((await change(world, id, { tracked_packages: [3] }, '*')).config_version).toBe(4);
  });

  it('refuses another with 412, naming both', async () => {
    const { world, id } = await made();
    await change(world, id, body);
    expect(await refusedWith(change(world, id, body, '"1"'))).toBe(
      '412 If-Match names version "1", but the current version is "2".',
    );
  });

  it('lets one of many through', async () => {
    const { world, id } = await made();
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => change(world, id, body, '"1"')));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await show(world, id)).config_version).toBe(2);
  });
});

describe('a queue', () => {
  it('holds a hundred; one more is 409, until one is interrupted', async () => {
    const { world, id, first } = await made();
    for (let n = 1; n < 100; n++) await postRevision(world, id);
    const full = '409 100 revisions are already queued; wait for one to finish or interrupt one.';
    expect(await refusedWith(postRevision(world, id))).toBe(full);
    const secrets = [{ name: 'A', value: 'b' }];
    expect(await refusedWith(change(world, id, { secrets }))).toBe(full);
    await change(world, id, { tracked_packages: [1] });
    await interrupt(world, id, first);
    expect((await postRevision(world, id)).queue_position).toBe(100);
  });

  it('tells each its place and what it waits for', async () => {
    const { world, id, first } = await made();
    const second = await postRevision(world, id);
    expect(second).toMatchObject({
      queue_position: 2,
      status_message: 'Next in line; about to be processed.',
    });
    await interrupt(world, id, first);
    const { resources } = await revisions(world, id);
    expect(resources.map((shown) => [shown.status, shown.queue_position])).toEqual([
      ['QUEUED', 1],
      ['INTERRUPTED', null],
    ]);
  });
});

describe('a deployment that is being deleted', () => {
  it('takes no writes, and is shown', async () => {
    const { world, id, first } = await made();
    const key = deploymentKey(world.caller.tenantId, id);
    await transact(world.deps.table, [update('deployment', key, { set: { status: 'AWAITING_DELETE' } })]);
    const refused = { status: 409, detail: `Deployment ${id} is being deleted (AWAITING_DELETE).` };
    const writes = [
      () => change(world, id, {}),
      () => postRevision(world, id),
      () => redeploy(world, id, first),
      () => interrupt(world, id, first),
    ];
    for (const write of writes) expect(await refusal(write())).toMatchObject(refused);
    expect((await show(world, id)).status).toBe('AWAITING_DELETE');
    expect(await refusedWith(post(world, github('a')))).toMatch(
      /^409 Deployment with name 'a' already exists\. It is being deleted/,
    );
  });
});
