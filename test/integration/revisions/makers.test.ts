import { describe, expect, it } from 'vitest';
import { commitOf } from '../../support/world/git-host.ts';
import { ended } from '../../support/world/processed.ts';
import { postRevision, redeploy, revisions, showRevision } from '../../support/world/requests.ts';
import { watching } from '../../support/world/watching.ts';

/** Four revisions, each with a cause of its own but the first and the last. */
async function eachWay() {
  const { world, id, pushed, host } = await watching();
  const first = (await revisions(world, id)).resources[0]?.id ?? '';
  const ada = world.as({ ...world.caller, actor: { kind: 'person', name: 'ada@example.com' } });
  await pushed('one', commitOf('1'), {
    head_commit: {
      ...{ id: commitOf('1'), message: 'Faster', timestamp: '2026-01-02T03:04:05Z' },
      author: { name: 'Grace', email: 'grace@example.com' },
    },
  });
  await ended(world, id, 'DEPLOYED', { commit: commitOf('1') });
  await redeploy(ada, id, first);
  await ended(world, id, 'DEPLOY_FAILED');
  const key = world.as({ ...world.caller, actor: { kind: 'key', name: 'ci' } });
  await postRevision(key, id, { source_revision_config: { repo_ref: 'main' } });
  return { world, id, host };
}

describe('who made a revision', () => {
  it('is told by name: a person, a key, and the author of what was pushed', async () => {
    const { world, id } = await eachWay();
    const { resources } = await revisions(world, id);
    const { userId } = world.caller;
    expect(resources.map(({ number, created_by: by, cause }) => [number, cause.kind, by])).toEqual([
      [4, 'request', { kind: 'key', id: userId, name: 'ci' }],
      [3, 'redeploy', { kind: 'person', id: userId, name: 'ada@example.com' }],
      [2, 'push', { kind: 'git', id: userId, name: 'Grace' }],
      [1, 'request', { kind: 'key', id: userId, name: null }],
    ]);
    const [newest] = resources;
    const shown = await showRevision(world, id, newest?.id ?? '');
    expect(shown.created_by).toEqual(newest?.created_by);
  });
});

describe('a list of revisions by cause', () => {
  it.each([
    [{ cause: 'push' }, [2]],
    [{ cause: 'request' }, [4, 1]],
    [{ cause: 'push,redeploy,head' }, [3, 2]],
    [{ cause: 'head' }, []],
    [{ cause: 'request', status: 'DEPLOYED' }, [1]],
    [{ cause: 'redeploy', status: 'DEPLOY_FAILED,DEPLOYED' }, [3]],
    [{ cause: 'request', limit: '1', offset: '1' }, [1]],
  ])('%j', async (query: Record<string, string>, numbers) => {
    const { world, id } = await eachWay();
    const { resources } = await revisions(world, id, query);
    expect(resources.map(({ number }) => number)).toEqual(numbers);
  });
});
