import { expect, it } from 'vitest';
import { heartbeatTask } from '../../../lib/app/listener-protocol/heartbeat.ts';
import { claim, listening, offered } from '../../support/world/listening.ts';
import { showRevision } from '../../support/world/requests.ts';

it('what a deploy waits for is shown without its secrets, until it goes on', async () => {
  const world = await listening();
  const { id, revisionId } = await offered(world, 'a', [{ name: 'TOKEN', value: 'a-secret' }]);
  const [task] = (await claim(world)).tasks;
  const params = { listener_id: world.listenerId, task_id: task?.task_id ?? '' };
  const beat = (more: object) =>
    heartbeatTask(world.deps, { params, body: { lease_id: task?.lease_id ?? '', ...more } }, world.caller);
  const said = async () => (await showRevision(world, id, revisionId)).status_message;
  await beat({ phase: 'starting', status_message: 'No room for a-secret.' });
  expect(await said()).toBe('No room for ***.');
  await beat({ phase: 'starting' });
  expect(await said()).toBe('No room for ***.');
  await beat({ phase: 'starting', status_message: '' });
  expect(await said()).toBeNull();
  await beat({ phase: 'starting', status_message: 'No room.' });
  await beat({ phase: 'switching', status_message: '' });
  expect(await said()).toBeNull();
});
