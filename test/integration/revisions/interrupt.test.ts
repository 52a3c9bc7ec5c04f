import { describe, expect, it } from 'vitest';
import { ended } from '../../support/world/processed.ts';
import {
  github,
  interrupt,
  post,
  postRevision,
  refusedWith,
  register,
  revisions,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

async function made(): Promise<{ world: World; id: string }> {
  const world = await aWorld();
  await register(world, 'machine');
  return { world, id: (await post(world, github('a'))).id };
}

describe('an interrupt', () => {
  it('says when it came, and is no error twice', async () => {
    const { world, id } = await made();
    const [queued] = (await revisions(world, id)).resources;
    const interrupted = await interrupt(world, id, queued?.id ?? '');
    expect(interrupted.status).toBe('INTERRUPTED');
    expect(interrupted.status_message).toBe(
      `Interrupted on request at ${interrupted.interrupt_requested_at} while queued.`,
    );
    expect(interrupted.status_history.map(({ status }) => status)).toEqual([
      'CREATING',
      'QUEUED',
      'INTERRUPTED',
    ]);
    expect(await interrupt(world, id, queued?.id ?? '')).toEqual(interrupted);
  });

  it('of a finished revision is 409 with its status', async () => {
    const { world, id } = await made();
    for (const how of ['DEPLOYED', 'BUILD_FAILED', 'DEPLOY_FAILED'] as const) {
      const done = await ended(world, id, how);
      expect(await refusedWith(interrupt(world, id, done.id))).toBe(
        `409 Revision ${done.id} has finished already: ${how}.`,
      );
      await postRevision(world, id);
    }
  });
});
