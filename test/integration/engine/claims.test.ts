import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { load } from '../../../lib/core/engine/load.ts';
import { sweep } from '../../../lib/core/engine/sweep.ts';
import { secretsKey } from '../../../lib/store/keys/index.ts';
import { claim, type Listening, listening, offered } from '../../support/world/listening.ts';

const slotRevisionOf = async (world: Listening, deploymentId: string) =>
  (await load(world.deps, { tenantId: world.caller.tenantId, deploymentId }))?.slotRevision;

const sweepWhileRunning = (world: Listening, which: 'due' | 'all' = 'due') =>
  sweep(
    { ...world.deps, workflow: { ...world.deps.workflow, status: async () => 'running' } },
    { all: which === 'all' },
    (error) => {
      throw error;
    },
  );

/** A deployment that is offered to the listener, and cannot be handed over: its stored secrets are gone. */
async function unmakeable(world: Listening): Promise<{ id: string }> {
  const { client, name } = world.deps.table;
  const { id } = await offered(world, 'bad', [{ name: 'TOKEN', value: 'a-secret-value' }]);
  await client.send(new DeleteCommand({ TableName: name, Key: secretsKey(world.caller.tenantId, id, 1) }));
  return { id };
}

describe('a task that cannot be handed over', () => {
  it('fails its own revision with the reason, and keeps no other task from the listener', async () => {
    const world = await listening();
    const bad = await unmakeable(world);
    const good = await offered(world, 'good');

    const { tasks } = await claim(world);

    expect(tasks.map((task) => task.deployment_id)).toEqual([good.id]);
    const slotRevision = await slotRevisionOf(world, bad.id);
    const message = expect.stringMatching(/could not be handed to its listener.*secrets/i);
    expect(slotRevision?.outcome).toMatchObject({ stage: 'deploy', result: 'failed', message });
  });

  it('stays offered while a service that it needs does not answer', async () => {
    const world = await listening();
    const { id } = await offered(world, 'one', [{ name: 'TOKEN', value: 'a-secret-value' }]);
    const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
    const keys = { ...world.deps.keys, openDataKey: () => Promise.reject(throttled) };
    const failing = { ...world, deps: { ...world.deps, keys } };

    expect((await claim(failing)).tasks).toEqual([]);
    expect((await slotRevisionOf(world, id))?.outcome).toBeUndefined();
    expect((await claim(world)).tasks).toHaveLength(1);
  });
});

describe('a task that waits while its listener is busy', () => {
  it('is not taken for unclaimed as long as the listener asks', async () => {
    const world = await listening();
    const first = await offered(world, 'first');
    const waiting = await offered(world, 'waiting');
    const { tasks } = await claim(world, 1);
    expect(tasks.map((task) => task.deployment_id)).toEqual([first.id]);
    for (let minute = 0; minute < 20; minute++) {
      world.advance(60);
      await claim(world, 1, 'one', []);
      await sweepWhileRunning(world);
    }

    expect((await slotRevisionOf(world, waiting.id))?.outcome).toBeUndefined();
  });

  it('fails a quarter of an hour after the listener last asked', async () => {
    const world = await listening();
    const { id } = await offered(world, 'one');
    await claim(world, 0);
    world.advance(600);
    await claim(world, 0);
    world.advance(600);
    await sweepWhileRunning(world);
    expect((await slotRevisionOf(world, id))?.outcome).toBeUndefined();
    world.advance(301);
    await sweepWhileRunning(world);
    // One look may come in the first moment after an outage of ours.
    expect((await slotRevisionOf(world, id))?.outcome).toBeUndefined();
    world.advance(60);
    await sweepWhileRunning(world);

    const message = expect.stringMatching(/^Listener machine has not asked for work since \d{4}-/);
    expect((await slotRevisionOf(world, id))?.outcome).toMatchObject({ message });
  });
});

describe('a listener that could not ask for work', () => {
  it('is not called absent by what looks right after a start, however often there is one', async () => {
    const world = await listening();
    const { id } = await offered(world, 'one');
    world.advance(1_200);
    for (let start = 0; start < 3; start++) {
      await sweepWhileRunning(world, 'all');
      world.advance(70);
    }
    expect((await slotRevisionOf(world, id))?.outcome).toBeUndefined();

    await sweepWhileRunning(world);
    world.advance(60);
    await sweepWhileRunning(world);
    expect((await slotRevisionOf(world, id))?.outcome).toMatchObject({ result: 'failed' });
  });
});
