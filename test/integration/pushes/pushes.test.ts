import { describe, expect, it } from 'vitest';
import { commitOf, deliveries, type GitHost, push } from '../../support/world/git-host.ts';
import { ended, inProgress } from '../../support/world/processed.ts';
import {
  change,
  github,
  interrupt,
  post,
  postRevision,
  redeploy,
  register,
  remove,
  revisions,
  show,
  showRevision,
} from '../../support/world/requests.ts';
import { ADDRESS, commits, HEAD, statuses, watching } from '../../support/world/watching.ts';
import { allItems } from '../../support/world/world.ts';

describe('a push', () => {
  it('makes a revision at the head of the branch, whatever the delivery says of it', async () => {
    const { world, host, id, pushed, integrationId } = await watching();
    const made = await pushed('one', commitOf('2'), {
      after: commitOf('1'),
      head_commit: {
        id: commitOf('2'),
        message: 'Answer faster\n\nBy not asking.',
        timestamp: '2026-01-02T03:04:05+01:00',
        author: { name: 'Ada', email: 'ada@example.com' },
      },
    });
    const { latest_revision_id: latest, source_revision_config: config } = await show(world, id);
    expect(made.revision_ids).toEqual([latest]);
    expect(config.repo_commit_sha).toBe(commitOf('2'));
    expect(await showRevision(world, id, latest)).toMatchObject({
      status: 'QUEUED',
      source_revision_config: { repo_commit_sha: commitOf('2'), repo_ref: 'main' },
      commit: { message: 'Answer faster', author: 'Ada', at: '2026-01-02T02:04:05.000Z' },
      cause: { kind: 'push', delivery_id: made.id, revision_id: null, reason: null },
    });
    expect((await deliveries(world, integrationId)).resources).toEqual([made]);
    expect(host.asked).toBe(1);
  });

  it('that is the revision’s own commit already makes nothing', async () => {
    const { world, id, pushed } = await watching();
    expect((await pushed('one')).outcomes).toEqual([
      { deployment_id: id, revision_id: null, reason: `commit ${commitOf('0')} was considered before` },
    ]);
    expect(await statuses(world, id)).toEqual(['DEPLOYED']);
  });

  it('is found by each of its addresses, in any spelling', async () => {
    const { world, integrationId, host, id } = await watching();
    const spellings = [
      'git@git.example:Team/App.git',
      'https://GIT.example/team/app',
      'ssh://git@git.example/team/app/',
    ];
    for (const [at, address] of spellings.entries()) {
      host.heads.set(HEAD, commitOf(String(at + 1)));
      expect((await push(world, integrationId, `d${at}`, { address })).revision_ids).toHaveLength(1);
    }
    const other = await push(world, integrationId, 'other', { address: 'https://git.example/team/other' });
    expect(other).toMatchObject({
      outcomes: [],
      reason: 'no deployment builds pushes to this branch of this repository',
    });
    expect(await statuses(world, id)).toEqual(['QUEUED', 'SKIPPED', 'SKIPPED', 'DEPLOYED']);
  });

  it('reaches all deployments of its tenant on that branch, and nobody else', async () => {
    const { world, integrationId, host, id, make } = await watching();
    const second = await make('second');
    const paused = await make('paused', { build_on_push: false });
    const branch = await make('branch');
    await change(world, branch, { source_revision_config: { repo_ref: 'next' } });
    const stranger = world.as();
    await register(stranger, 'machine');
    const source_config = { repo_url: ADDRESS, build_on_push: true };
    const { id: theirs } = await post(stranger, github('theirs', { source_config }));
    host.heads.set(HEAD, commitOf('1'));
    const made = await push(world, integrationId, 'one', { address: ADDRESS });
    expect(made.outcomes.map(({ deployment_id: of }) => of).toSorted()).toEqual([id, second].toSorted());
    expect(await statuses(world, paused)).toEqual(['DEPLOYED']);
    expect(await statuses(world, branch)).toEqual(['QUEUED', 'DEPLOYED']);
    expect(await statuses(stranger, theirs)).toEqual(['QUEUED']);
  });

  it.each([
    ['a tag', { ref: 'refs/tags/v1' }, "'refs/tags/v1' is no branch"],
    ['a deleted branch', { deleted: true, after: '0'.repeat(40) }, 'the branch was deleted'],
    [
      'another branch',
      { ref: 'refs/heads/next' },
      'no deployment builds pushes to this branch of this repository',
    ],
  ])('of %s makes nothing, and says so', async (_, payload, reason) => {
    const { world, id, pushed, integrationId } = await watching();
    const made = await pushed('one', commitOf('1'), payload);
    expect(made).toMatchObject({ outcomes: [], revision_ids: [], reason });
    expect((await deliveries(world, integrationId)).resources).toEqual([made]);
    expect(await statuses(world, id)).toEqual(['DEPLOYED']);
  });

  it('of a fork makes nothing', async () => {
    const { world, id, integrationId, host } = await watching();
    host.heads.set(HEAD, commitOf('1'));
    const fork = await push(world, integrationId, 'one', { address: 'https://git.example/somebody/app.git' });
    expect(fork.revision_ids).toEqual([]);
    expect(await statuses(world, id)).toEqual(['DEPLOYED']);
  });

  it('by force, back to an earlier commit, is built', async () => {
    const { world, id, pushed } = await watching();
    await pushed('one', commitOf('1'));
    await ended(world, id, 'DEPLOYED', { commit: commitOf('1') });
    await pushed('two', commitOf('0'), { forced: true });
    expect(await commits(world, id)).toEqual(['0', '1', '0']);
  });

  it('without commits makes nothing, and one whose branch is gone says that it is', async () => {
    const { world, id, pushed, host } = await watching();
    expect((await pushed('empty', undefined, { commits: [], head_commit: null })).revision_ids).toEqual([]);
    host.heads.delete(HEAD);
    expect((await pushed('gone')).outcomes[0]?.reason).toBe("the repository has no branch 'main'");
    expect(await statuses(world, id)).toEqual(['DEPLOYED']);
  });

  it('counts once, however often and at what time it comes', async () => {
    const { world, id, pushed, integrationId, host } = await watching();
    host.heads.set(HEAD, commitOf('1'));
    const first = await Promise.all(Array.from({ length: 20 }, () => pushed('one')));
    expect(new Set(first.map((made) => made.id)).size).toBe(1);
    await pushed('two', commitOf('2'));
    const asked = host.asked;
    for (let n = 0; n < 200; n += 1) await pushed('one');
    expect(host.asked).toBe(asked);
    expect(await commits(world, id)).toEqual(['2', '1', '0']);
    expect((await deliveries(world, integrationId)).resources).toHaveLength(2);
  });

  it('of which twenty come at once ends in one that waits, with the last commit', async () => {
    const { world, host, id, integrationId } = await watching();
    let pushed = 0;
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        pushed += 1;
        host.heads.set(HEAD, pushed.toString(16).padStart(40, '0'));
        await push(world, integrationId, `d${at}`, { address: ADDRESS });
      }),
    );
    const { resources } = await revisions(world, id);
    const waiting = resources.filter(({ status }) => status === 'QUEUED');
    expect(waiting.map(({ source_revision_config: config }) => config.repo_commit_sha)).toEqual([
      (20).toString(16).padStart(40, '0'),
    ]);
    expect(resources.filter(({ status }) => status === 'SKIPPED')).toHaveLength(resources.length - 2);
  });
});

describe('the queue', () => {
  it('keeps requests and redeploys, and of pushes the newest that has not been taken up', async () => {
    const { world, id, pushed } = await watching();
    const [first] = (await revisions(world, id)).resources;
    await pushed('one', commitOf('1'));
    await inProgress(world, id, 'AWAITING_BUILD');
    await pushed('two', commitOf('2'));
    await redeploy(world, id, first?.id ?? '');
    await pushed('three', commitOf('3'));
    const { resources } = await revisions(world, id);
    expect(resources.map(({ status, cause: { kind } }) => [kind, status])).toEqual([
      ['push', 'QUEUED'],
      ['redeploy', 'QUEUED'],
      ['push', 'SKIPPED'],
      ['push', 'AWAITING_BUILD'],
      ['request', 'DEPLOYED'],
    ]);
    expect(resources[2]?.status_message).toBe(
      `Skipped: revision ${resources[0]?.id} was pushed before this one was processed.`,
    );
    expect(resources.map(({ queue_position: position }) => position)).toEqual([2, 1, null, null, null]);
  });

  it('leaves a push to a request that waits: it takes the head when it is processed', async () => {
    const { world, id, pushed } = await watching();
    const { id: waits } = await postRevision(world, id, { source_revision_config: { repo_ref: 'main' } });
    expect((await pushed('one', commitOf('1'))).outcomes[0]?.reason).toBe(
      `revision ${waits}, which is queued, takes the branch's head when it is processed`,
    );
    await interrupt(world, id, waits);
    expect((await pushed('two')).revision_ids).toHaveLength(1);
  });

  it('makes nothing for a deployment that is being deleted', async () => {
    const { world, id, pushed } = await watching();
    await remove(world, id);
    expect((await pushed('one', commitOf('1'))).reason).toMatch(/^no deployment builds pushes/);
    const kinds = (await allItems(world.deps.table)).map(({ entity }) => entity);
    expect(kinds).not.toContain('push_watch');
  });
});

describe('push_paths', () => {
  const paths = { push_paths: ['services/api/**', '*.lock'] };
  const looked = (host: GitHost, commit: string, changed: string[] | undefined) =>
    host.looks.set(commitOf(commit), { said: undefined, changed });

  it('keep a push that touches none of them from being built, and it counts as considered', async () => {
    const { world, host, id, pushed } = await watching(paths);
    looked(host, '1', ['docs/a.txt', 'services/web/api.ts']);
    expect((await pushed('one', commitOf('1'))).outcomes[0]?.reason).toBe(
      `commit ${commitOf('1')} touches none of the deployment's push_paths`,
    );
    expect(await statuses(world, id)).toEqual(['DEPLOYED']);
    looked(host, '2', ['services/api/src/.hidden/main.ts']);
    expect((await pushed('two', commitOf('2'))).revision_ids).toHaveLength(1);
    looked(host, '3', undefined);
    expect((await pushed('three', commitOf('3'))).revision_ids).toHaveLength(1);
  });

  it('are held against what changed since the last commit that was considered', async () => {
    const { host, pushed, world } = await watching(paths);
    const asked: unknown[] = [];
    const { look } = world.deps.git;
    world.deps.git.look = (repoUrl, of, credentials) => {
      asked.push([of, credentials?.token]);
      return look(repoUrl, of, credentials);
    };
    looked(host, '1', ['docs/a.txt']);
    await pushed('one', commitOf('1'));
    await pushed('two', commitOf('2'));
    expect(asked).toEqual([
      [{ commit: commitOf('1'), since: commitOf('0') }, 'a-token'],
      [{ commit: commitOf('2'), since: commitOf('1') }, 'a-token'],
    ]);
  });

  it('are held against any path without anybody waiting for it', async () => {
    const { world, host, id, pushed } = await watching({ push_paths: ['*a*a*a/*a*a*a/*a*a*a/b'] });
    const long = 'a'.repeat(44);
    looked(host, '1', [`${long}/${long}/${long}/c`]);
    expect((await pushed('one', commitOf('1'))).outcomes[0]?.reason).toContain('touches none');
    looked(host, '2', [`${long}/${long}/${long}/b`]);
    expect((await pushed('two', commitOf('2'))).revision_ids).toHaveLength(1);
    expect(await statuses(world, id)).toEqual(['QUEUED', 'DEPLOYED']);
  });
});
