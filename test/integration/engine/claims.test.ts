import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { load } from '../../../lib/app/engine/situation.ts';
import { sweep } from '../../../lib/app/engine/sweep.ts';
import { secretsKey } from '../../../lib/store/keys/index.ts';
import { claim, type Listening, listening, offered } from '../../support/world/listening.ts';

const slotRevisionOf = async ({ plane }: Listening, deploymentId: string) =>
  (await load(plane.deps, { tenantId: plane.caller.tenantId, deploymentId }))?.slotRevision;

const sweepWhileRunning = ({ plane }: Listening) =>
  sweep(
    { ...plane.deps, workflow: { ...plane.deps.workflow, status: async () => 'running' } },
    { all: false },
    (error) => {
      throw error;
    },
  );

/** A deployment that is offered to the listener, and cannot be handed over: its stored secrets are gone. */
async function unmakeable(self: Listening): Promise<{ id: string }> {
  const { client, name } = self.plane.deps.table;
  const { id } = await offered(self, 'bad', [{ name: 'TOKEN', value: 'a-secret-value' }]);
  await client.send(
    new DeleteCommand({ TableName: name, Key: secretsKey(self.plane.caller.tenantId, id, 1) }),
  );
  return { id };
}

describe('a task that cannot be handed over', () => {
  it('fails its own revision with the reason, and keeps no other task from the listener', async () => {
    const self = await listening();
    const bad = await unmakeable(self);
    const good = await offered(self, 'good');

    const { tasks } = await claim(self);

    expect(tasks.map((task) => task.deployment_id)).toEqual([good.id]);
    const slotRevision = await slotRevisionOf(self, bad.id);
    const message = expect.stringMatching(/could not be handed to its listener.*secrets/i);
    expect(slotRevision?.outcome).toMatchObject({ stage: 'deploy', result: 'failed', message });
  });

  it('stays offered while a service that it needs does not answer', async () => {
    const self = await listening();
    const { id } = await offered(self, 'one', [{ name: 'TOKEN', value: 'a-secret-value' }]);
    const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
    const keys = { ...self.plane.deps.keys, openDataKey: () => Promise.reject(throttled) };
    const failing = { ...self, plane: { ...self.plane, deps: { ...self.plane.deps, keys } } };

    expect((await claim(failing)).tasks).toEqual([]);
    expect((await slotRevisionOf(self, id))?.outcome).toBeUndefined();
    expect((await claim(self)).tasks).toHaveLength(1);
  });
});

describe('a task that waits while its listener is busy', () => {
  it('is not taken for unclaimed as long as the listener asks', async () => {
    const self = await listening();
    const first = await offered(self, 'first');
    const waiting = await offered(self, 'waiting');
    const { tasks } = await claim(self, 1);
    expect(tasks.map((task) => task.deployment_id)).toEqual([first.id]);
    for (let minute = 0; minute < 20; minute++) {
      self.plane.advance(60);
      await claim(self, 1, 'one', []);
      await sweepWhileRunning(self);
    }

    expect((await slotRevisionOf(self, waiting.id))?.outcome).toBeUndefined();
  });

  it('fails a quarter of an hour after the listener last asked', async () => {
    const self = await listening();
    const { id } = await offered(self, 'one');
    await claim(self, 0);
    self.plane.advance(600);
    await claim(self, 0);
    self.plane.advance(600);
    await sweepWhileRunning(self);
    expect((await slotRevisionOf(self, id))?.outcome).toBeUndefined();
    self.plane.advance(301);
    await sweepWhileRunning(self);
    // That look came late, as after an outage of ours.
    self.plane.advance(61);
    await sweepWhileRunning(self);

    const message = expect.stringMatching(/has not asked for work since/);
    expect((await slotRevisionOf(self, id))?.outcome).toMatchObject({ message });
  });
});
