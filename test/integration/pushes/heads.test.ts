import { describe, expect, it } from 'vitest';
import { nothingSeen } from '../../../lib/adapters/git.ts';
import { watchesPk } from '../../../lib/core/items/push-watches.ts';
import { repositoryName } from '../../../lib/domain/repository-name.ts';
import { dueHeads } from '../../../lib/features/pushes/store.ts';
import { until } from '../../support/until.ts';
import { commitOf } from '../../support/world/git-host.ts';
import { ended } from '../../support/world/processed.ts';
import { change, postRevision, redeploy, revisions } from '../../support/world/requests.ts';
import { ADDRESS, commits, HEAD, watching } from '../../support/world/watching.ts';
import { allItems, type World } from '../../support/world/world.ts';

const OTHER = 'https://git.example/team/other.git';

describe('a look at the heads', () => {
  it('finds what no delivery has told of, once, and asks each repository once', async () => {
    const { world, host, id, make, heads } = await watching();
    const second = await make('second');
    expect(await heads({})).toEqual({ looked: 0, made: 0, failed: 0 });
    world.advance(300);
    expect(await heads({})).toEqual({ looked: 1, made: 0, failed: 0 });
    host.heads.set(HEAD, commitOf('1'));
    world.advance(300);
    expect(await heads({})).toEqual({ looked: 1, made: 2, failed: 0 });
    expect(await commits(world, second)).toEqual(['1', '0']);
    const [newest] = (await revisions(world, id)).resources;
    expect(newest).toMatchObject({ status: 'QUEUED', cause: { kind: 'head', delivery_id: null } });
    const asked = host.asked;
    world.advance(300);
    expect(await heads({})).toEqual({ looked: 1, made: 0, failed: 0 });
    expect(host.asked).toBe(asked + 1);
  });

  it('does not undo a rollback', async () => {
    const { world, host, id, heads } = await watching();
    const [first] = (await revisions(world, id)).resources;
    host.heads.set(HEAD, commitOf('1'));
    await postRevision(world, id, { source_revision_config: { repo_ref: 'main' } });
    await ended(world, id, 'DEPLOYED', { commit: commitOf('1') });
    await redeploy(world, id, first?.id ?? '');
    await ended(world, id, 'DEPLOYED', { commit: commitOf('0') });
    world.advance(300);
    expect(await heads({})).toEqual({ looked: 1, made: 0, failed: 0 });
    expect(await commits(world, id)).toEqual(['0', '1', '0']);
  });

  it.each([
    ['branch', { source_revision_config: { repo_ref: 'next' } }, `${ADDRESS} next`],
    ['repository', { source_config: { repo_url: OTHER } }, `${OTHER} main`],
  ])('does not undo a rollback from another %s, and builds what is pushed later', async (_, to, head) => {
    const { world, host, id, heads } = await watching();
    const [first] = (await revisions(world, id)).resources;
    host.heads.set(head, commitOf('1'));
    await postRevision(world, id, to);
    await ended(world, id, 'DEPLOYED', { commit: commitOf('1') });
    // Pushed while the other one was deployed.
    host.heads.set(HEAD, commitOf('2'));
    await redeploy(world, id, first?.id ?? '');
    await ended(world, id, 'DEPLOYED', { commit: commitOf('0') });
    for (let looks = 0; looks < 2; looks++) {
      world.advance(300);
      expect(await heads({})).toMatchObject({ made: 0, failed: 0 });
    }
    expect(await commits(world, id)).toEqual(['0', '1', '0']);
    host.heads.set(HEAD, commitOf('3'));
    world.advance(300);
    expect(await heads({})).toMatchObject({ made: 1, failed: 0 });
    expect(await commits(world, id)).toEqual(['3', '0', '1', '0']);
  });

  it('asks a repository that cannot be asked ever more seldom, and takes up what was missed', async () => {
    const { world, host, id, heads, pushed } = await watching();
    host.down = 'Repository https://git.example/team/app.git cannot be read: HTTP 500';
    host.heads.set(HEAD, commitOf('1'));
    expect((await pushed('one')).outcomes[0]?.reason).toContain('cannot be read: HTTP 500');
    let looks = 0;
    for (let minutes = 0; minutes < 120; minutes += 5) {
      world.advance(300);
      looks += (await heads({})).looked;
    }
    expect(looks).toBeGreaterThan(2);
    expect(looks).toBeLessThan(12);
    host.down = undefined;
    world.advance(3600);
    expect(await heads({})).toEqual({ looked: 1, made: 1, failed: 0 });
    expect(await commits(world, id)).toEqual(['1', '0']);
  });

  it('forgets a repository that nobody watches any more', async () => {
    const { world, id, heads, host } = await watching();
    await change(world, id, { source_config: { build_on_push: false } });
    world.advance(300);
    expect(await heads({})).toEqual({ looked: 0, made: 0, failed: 0 });
    const kinds = (await allItems(world.deps.table)).map(({ entity }) => entity);
    expect(kinds).not.toContain('watched_head');
    expect(host.asked).toBe(0);
  });

  it('that the table fails ends no other', async () => {
    const { world, host, make, heads } = await watching();
    const elsewhere = OTHER;
    const other = await make('other', { repo_url: elsewhere });
    host.heads.set(`${elsewhere} main`, commitOf('1'));
    const place = watchesPk(world.caller.tenantId, repositoryName(ADDRESS) ?? '');
    const { client } = world.deps.table;
    client.middlewareStack.add(
      (next) => async (args) => {
        const asked = JSON.stringify(args.input);
        // The write of its next look, of the first of the two repositories alone.
        if (asked.includes('due_at') && asked.includes(place)) throw new Error('the table is down');
        return next(args);
      },
      { step: 'initialize', name: 'down' },
    );
    world.advance(300);
    expect(await heads({})).toEqual({ looked: 1, made: 1, failed: 1 });
    expect(await commits(world, other)).toEqual(['1', '0']);
  });

  it('that hangs or dies holds up no other, and is not begun again at once', async () => {
    const { world, host, make, heads } = await watching({ push_paths: ['lib/**'] });
    const elsewhere = OTHER;
    const other = await make('other', { repo_url: elsewhere, push_paths: null });
    let hangs = 0;
    world.deps.git.look = (repoUrl) => {
      if (repoUrl === elsewhere) return Promise.resolve(nothingSeen);
      hangs += 1;
      return new Promise(() => undefined);
    };
    host.heads.set(HEAD, commitOf('1'));
    world.advance(300);
    void heads({});
    await until(() => hangs === 1, { what: 'a look that hangs' });
    // Another program, or this one after a restart.
    const begun: number[] = [];
    for (let minutes = 0; minutes < 60; minutes += 5) {
      for (const event of [{}, { all: true }]) void heads(event);
      await until(async () => (await dueNow(world)).length === 0, {
        what: 'whatever is due to be looked at',
      });
      begun.push(hangs);
      world.advance(300);
    }
    expect(new Set(begun).size).toBeGreaterThan(2);
    expect(hangs).toBeLessThan(6);
    host.heads.set(`${elsewhere} main`, commitOf('1'));
    void heads({});
    await until(async () => (await commits(world, other))[0] === '1', { what: 'the other repository' });
  });
});

/** The repositories that a look at the heads would begin with. */
async function dueNow({ deps }: World) {
  const now = deps.clock.now();
  const due = [];
  for await (const each of dueHeads(deps.table, { until: now, now })) due.push(each);
  return due;
}
