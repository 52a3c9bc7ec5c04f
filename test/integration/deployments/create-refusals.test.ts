import { describe, expect, it } from 'vitest';
import { change, github, post, refusal, refusedWith, register } from '../../support/world/requests.ts';
import { allItems, aWorld } from '../../support/world/world.ts';

const repo = { repo_url: 'https://example.com/repo.git' };
const image = { image_uri: 'registry.example.com/app:1' };

const NO_TARBALL =
  "'source_tarball_path' cannot be given on create: it names an upload of this very deployment, which is not there yet. Create it with source 'internal_source' and without a path, ask for an upload URL (POST /v2/deployments/{deployment_id}/upload-url), upload the tarball, then PATCH the 'object_path'.";

type Case = [what: string, source: string | null, config: object, revisionConfig: object, detail: string];

const contradictions: Case[] = [
  [
    'nothing',
    null,
    {},
    {},
    "nothing says where the code comes from; give 'repo_url', 'image_uri' or 'source'.",
  ],
  ['two kinds', null, repo, image, "'repo_url' and 'image_uri' are both given; give one, or say 'source'."],
  ['git without a repository', 'github', {}, {}, "source 'github' needs 'repo_url'."],
  ['git with an image', 'github', repo, image, "'image_uri' does not go with source 'github'."],
  ['git with a tarball', 'github', repo, { source_tarball_path: 'x' }, NO_TARBALL],
  ['an image without one', 'external_docker', {}, {}, "source 'external_docker' needs 'image_uri'."],
  [
    'an image with a repository',
    'external_docker',
    repo,
    image,
    "'repo_url' does not go with source 'external_docker'.",
  ],
  [
    'an image with a ref',
    'external_docker',
    {},
    { ...image, repo_ref: 'main' },
    "'repo_ref' does not go with source 'external_docker'.",
  ],
  [
    'an image with a command',
    'external_docker',
    { build_command: 'make' },
    image,
    "'build_command' does not go with source 'external_docker'.",
  ],
  [
    'pushes of an image',
    'external_docker',
    { build_on_push: true },
    image,
    "'build_on_push' does not go with source 'external_docker'.",
  ],
  [
    'pushes of a tag',
    'github',
    { ...repo, build_on_push: true },
    { repo_ref: 'refs/tags/v1' },
    "'build_on_push' needs a branch, but 'repo_ref' is the tag 'refs/tags/v1'.",
  ],
  [
    'a tarball with a repository',
    'internal_source',
    repo,
    {},
    "'repo_url' does not go with source 'internal_source'.",
  ],
  [
    'a tarball with an image',
    'internal_source',
    {},
    image,
    "'image_uri' does not go with source 'internal_source'.",
  ],
  ['a tarball on create', 'internal_source', {}, { source_tarball_path: 'x' }, NO_TARBALL],
  ['a tarball alone', null, {}, { source_tarball_path: 'x' }, NO_TARBALL],
  [
    'an image to push without a registry',
    'internal_docker',
    {},
    {},
    'this installation has no image registry; deploy from source (--remote) or give image_uri',
  ],
];

describe('a create whose source contradicts itself', () => {
  it('is 400 with the reason, and leaves nothing', async () => {
    const world = await aWorld();
    await register(world, 'cluster', { compute_type: 'k8s', compute_config: { k8s_namespaces: ['a'] } });
    const before = await allItems(world.deps.table);
    for (const [what, source, source_config, source_revision_config, reason] of contradictions) {
      const answer = await refusedWith(
        post(world, { name: 'a', source, source_config, source_revision_config }),
      );
      expect([what, answer]).toEqual([what, `400 Source configuration error: ${reason}`]);
    }
    expect(await allItems(world.deps.table)).toEqual(before);
  });
});

describe('a file: repository', () => {
  it('is 422 where builds do not run on the machine of the caller', async () => {
    const world = await aWorld({ allowFileRepositories: false });
    await register(world, 'machine');
    const body = github('a', { source_config: { repo_url: 'file:///srv/repo.git' } });
    expect(await refusal(post(world, body))).toEqual({
      status: 422,
      detail: [
        {
          loc: ['body', 'source_config', 'repo_url'],
          type: 'value_error',
          msg: 'Value error, file: repositories are not available here; use https',
          input: 'file:///srv/repo.git',
        },
      ],
    });
  });

  it('is taken where they do', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const body = github('a', { source_config: { repo_url: 'file:///srv/repo.git' } });
    expect((await post(world, body)).source_config.repo_url).toBe('file:///srv/repo.git');
  });
});

describe('secrets of a create', () => {
  it('cannot be the mask: nothing is stored yet; the answer does not repeat the value', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const secrets = [
      { name: 'OTHER', value: 'x' },
      { name: 'TOKEN', value: '**********' },
    ];
    expect(await refusal(post(world, github('a', { secrets })))).toEqual({
      status: 422,
      detail: [
        {
          loc: ['body', 'secrets', 1, 'value'],
          type: 'value_error',
          msg: expect.stringContaining('no secret named TOKEN is stored'),
        },
      ],
    });
  });

  it('cannot be references where servers are local processes', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const secret_references = [{ name: 'A', secret_name: 'b', secret_key: 'c' }];
    expect(await refusedWith(post(world, github('a', { secret_references })))).toMatch(
      /^400 Source configuration error: listener machine runs processes and has no secrets of its own/,
    );
  });
});

describe('a Dockerfile', () => {
  it.each([
    ['dockerfile_path', 'docker/Dockerfile'],
    ['docker_target', 'web'],
  ])('is not named by %s where no images are built, at first or later', async (field, value) => {
    const world = await aWorld();
    await register(world, 'machine');
    const reason = `400 Source configuration error: listener machine runs processes and builds no images, so '${field}' "${value}" would do nothing; leave it out, or use a listener of compute_type 'k8s' or 'ecs'.`;
    const source_config = { ...repo, [field]: value };
    expect(await refusedWith(post(world, github('a', { source_config })))).toBe(reason);
    const { id } = await post(world, github('a'));
    expect(await refusedWith(change(world, id, { source_config: { [field]: value } }))).toBe(reason);
    await change(world, id, { source_config: { [field]: '' } });
  });
});

describe('an integration', () => {
  it('is looked up, and one that is not there is 404', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const integration_id = world.deps.clock.randomId();
    const body = github('a', { source_config: { ...repo, integration_id } });
    expect(await refusedWith(post(world, body))).toBe(`404 Integration ID ${integration_id} not found.`);
  });
});
