import { describe, expect, it } from 'vitest';
import {
  change,
  github,
  post,
  postRevision,
  refusal,
  refusedWith,
  register,
  show,
} from '../../support/world/requests.ts';
import { storePaths } from '../../support/world/watching.ts';
import { aWorld } from '../../support/world/world.ts';

async function machine(computeType = 'process') {
  const world = await aWorld();
  await register(world, 'machine', { compute_type: computeType, is_default: true });
  return world;
}

const image = { source_config: {}, source_revision_config: { image_uri: 'registry.example.com/app:1' } };
const withPaths = (push_paths: string[]) => ({ source_config: { push_paths } });

describe('push_paths', () => {
  it.each([
    [['src/**', '{a'], 1, "every '{' and '[' of a path is closed"],
    [['[a'], 0, "every '{' and '[' of a path is closed"],
    [['{a..cc}/b'], 0, 'a range such as'],
    [['{a,b}/'.repeat(7) + 'c'], 0, 'paths are at most 64'],
  ])('%j are refused, at their place', async (paths, index, words) => {
    const world = await machine();
    const { id } = await post(world, github('app'));
    const other = { repo_url: 'https://git.example/other.git', push_paths: paths };
    const requests = [
      () => post(world, { ...github('other'), source_config: other }),
      () => change(world, id, withPaths(paths)),
      () => postRevision(world, id, withPaths(paths)),
    ];
    for (const request of requests)
      expect(await refusal(request())).toMatchObject({
        status: 422,
        detail: [
          { loc: ['body', 'source_config', 'push_paths', index], msg: expect.stringContaining(words) },
        ],
      });
    expect((await show(world, id)).source_config.push_paths).toBeNull();
  });

  it('are at most 64 in all, with their braces written out', async () => {
    const world = await machine();
    const { id } = await post(world, github('app'));
    const eight = '{a,b}{a,b}{a,b}';
    await change(world, id, withPaths(Array.from({ length: 8 }, (_, n) => `${n}/${eight}`)));
    const more = Array.from({ length: 9 }, (_, n) => `${n}/${eight}`);
    expect(await refusedWith(change(world, id, withPaths(more)))).toMatch(/^422 .*at most 64/);
  });

  it('are refused where nobody pushes', async () => {
    const world = await machine('k8s');
    const reason = /^400 Source configuration error: 'push_paths' does not go with source 'external_docker'/;
    const asked = { name: 'other', ...image, ...withPaths(['src/**']) };
    expect(await refusedWith(post(world, asked))).toMatch(reason);
    const { id } = await post(world, { name: 'app', ...image, ...withPaths([]) });
    expect(await refusedWith(change(world, id, withPaths(['src/**'])))).toMatch(reason);
    expect((await change(world, id, withPaths([]))).source_config.push_paths).toBeNull();
    await storePaths(world, id, ['src/**']);
    const shown = await change(world, id, withPaths(['src/**']));
    expect(shown.source_config.push_paths).toEqual(['src/**']);
  });

  it('that are stored are taken again, whatever they are, and not if they change', async () => {
    const world = await machine();
    const { id } = await post(world, github('app'));
    const paths = ['{a', '{b,c}/'.repeat(7) + 'd'];
    await storePaths(world, id, paths);
    const before = await show(world, id);
    const { push_paths } = before.source_config;
    expect(await change(world, id, { source_config: { push_paths } })).toEqual(before);
    expect(await refusedWith(change(world, id, withPaths(paths.slice(1))))).toMatch(/^422 /);
  });
});
