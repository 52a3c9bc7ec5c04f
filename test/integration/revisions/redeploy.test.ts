import { describe, expect, it } from 'vitest';
import { inheritedFrom } from '../../../lib/core/engine/inherited.ts';
import { findDeployment, getConfiguration } from '../../../lib/core/items/deployments.ts';
import { getRevisionItem } from '../../../lib/core/items/revisions.ts';
import { openDeploymentSecrets } from '../../../lib/core/secrets.ts';
import { interruptedAt } from '../../support/table/stepwise.ts';
import { settle } from '../../support/world/deleting.ts';
import { COMMIT, ended, inProgress } from '../../support/world/processed.ts';
import {
  change,
  interrupt,
  post,
  postRevision,
  redeploy,
  refusedWith,
  register,
  remove,
  revisions,
  show,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const first = {
  source_config: {
    repo_url: 'https://example.com/one.git',
    root_directory: 'one',
    build_command: 'make one',
    resource_spec: { cpu: 1 },
    start_command: 'serve one',
    health_check: { path: '/one' },
  },
  source_revision_config: { repo_ref: 'one', graph_config_path: 'one/langgraph.json' },
  secrets: [{ name: 'A', value: 'first value' }],
};
const second = {
  source_config: {
    repo_url: 'https://example.com/two.git',
    root_directory: 'two',
    build_command: '',
    install_command: 'make two',
    resource_spec: {},
    start_command: 'serve two',
    health_check: {},
  },
  source_revision_config: { repo_ref: 'two' },
  secrets: [
    { name: 'A', value: 'second value' },
    { name: 'B', value: 'b' },
  ],
};

async function made(body: object = first): Promise<{ world: World; id: string }> {
  const world = await aWorld();
  await register(world, 'machine');
  return { world, id: (await post(world, { name: 'a', ...body })).id };
}

/** What the latest revision will run: its own item, the configuration and the secrets that it refers to. */
async function latest({ deps, caller }: World, deploymentId: string) {
  const owner = { tenantId: caller.tenantId, deploymentId };
  const deployment = await findDeployment(deps.table, owner.tenantId, deploymentId);
  const revision = await getRevisionItem(deps.table, {
    ...owner,
    revisionId: deployment?.latest_revision_id ?? '',
  });
  const configuration = await getConfiguration(deps.table, owner, revision.configuration);
  return { revision, configuration, secrets: await openDeploymentSecrets(deps, owner, revision.secrets) };
}

const folder = { kind: 'folder', sha256: 'b'.repeat(64), sizeBytes: 10 } as const;

/** What the deployment itself is configured to be, by the version that it names. */
async function own({ deps, caller }: World, deploymentId: string) {
  const owner = { tenantId: caller.tenantId, deploymentId };
  const deployment = await findDeployment(deps.table, owner.tenantId, deploymentId);
  const stored = await getConfiguration(deps.table, owner, deployment?.configuration ?? 0);
  const { v: _, entity: __, tenant_id: ___, version: ____, ...configuration } = stored;
  return { ...configuration, secrets: await openDeploymentSecrets(deps, owner, deployment?.secrets) };
}

describe('a redeploy', () => {
  it('runs what the revision ran; of that only the source becomes the deployment’s', async () => {
    const { world, id } = await made();
    const old = await ended(world, id, 'DEPLOYED');
    const ran = await latest(world, id);
    await change(world, id, { ...second, tracked_packages: ['kept'] });
    const shown = await redeploy(world, id, old.id);
    expect(shown).toMatchObject({
      source_config: {
        repo_url: first.source_config.repo_url,
        root_directory: 'one',
        install_command: 'make two',
        build_command: null,
        resource_spec: null,
        start_command: 'serve two',
        health_check: null,
      },
      source_revision_config: { ...first.source_revision_config, repo_commit_sha: COMMIT },
      secrets: [{ name: 'A' }, { name: 'B' }],
      tracked_packages: ['kept'],
      config_version: 3,
    });
    expect(await show(world, id)).toEqual(shown);
    const again = await latest(world, id);
    expect(again.revision).toMatchObject({ status: 'QUEUED', artifact: old.artifact, inherits: false });
    // The very version: it is written once.
    expect(again.configuration).toEqual(ran.configuration);
    expect(again.secrets).toEqual(first.secrets);
    expect(await own(world, id)).toEqual({
      repo_url: first.source_config.repo_url,
      root_directory: 'one',
      install_command: 'make two',
      start_command: 'serve two',
      secret_names: ['A', 'B'],
      secret_references: [],
      secrets: second.secrets,
    });
  });

  it('with secrets=current has the secrets and references of today, and else what it ran', async () => {
    const reference = { name: 'R', secret_name: 's', secret_key: 'k' };
    const world = await aWorld();
    await register(world, 'cluster', { compute_type: 'k8s', compute_config: { k8s_namespaces: ['one'] } });
    const { id } = await post(world, { name: 'a', ...first, secret_references: [reference] });
    const old = await ended(world, id, 'DEPLOYED');
    const newer = { ...reference, secret_name: 'newer' };
    await change(world, id, { ...second, secret_references: [newer] });
    const shown = await redeploy(world, id, old.id, { secrets: 'current' });
    expect(shown.secrets.map(({ name }) => name)).toEqual(['A', 'B']);
    const again = await latest(world, id);
    expect(again.secrets).toEqual(second.secrets);
    expect(again.configuration).toMatchObject({
      ...first.source_config,
      secret_names: ['A', 'B'],
      secret_references: [newer],
    });
    expect(await own(world, id)).toMatchObject({
      repo_url: first.source_config.repo_url,
      install_command: 'make two',
      secret_references: [newer],
    });
  });

  it('of a time without secrets runs without, and the next change has them again', async () => {
    const { world, id } = await made({ ...first, secrets: [] });
    const old = await ended(world, id, 'DEPLOYED');
    await change(world, id, second);
    expect((await redeploy(world, id, old.id)).secrets.map(({ name }) => name)).toEqual(['A', 'B']);
    expect((await latest(world, id)).secrets).toEqual([]);
    await change(world, id, { source_revision_config: { repo_ref: 'main' } });
    expect((await latest(world, id)).secrets).toEqual(second.secrets);
  });

  it('brings no secret back that was rotated away, whatever comes after it', async () => {
    const { world, id } = await made();
    const old = await ended(world, id, 'DEPLOYED');
    await change(world, id, { secrets: [{ name: 'A', value: 'rotated' }] });
    await ended(world, id, 'DEPLOYED');
    const rotated = [{ name: 'A', value: 'rotated' }];
    const back = async (): Promise<void> => {
      await redeploy(world, id, old.id);
      expect((await latest(world, id)).secrets).toEqual(first.secrets);
      const { id: again } = await ended(world, id, 'DEPLOYED');
      // Also when what was rolled back is what is rolled back to.
      await redeploy(world, id, again);
      expect((await latest(world, id)).secrets).toEqual(first.secrets);
      await ended(world, id, 'DEPLOYED');
    };
    const after: (() => Promise<unknown>)[] = [
      () => redeploy(world, id, old.id, { secrets: 'current' }),
      () => change(world, id, { source_revision_config: { repo_ref: 'main' } }),
      () => change(world, id, { source_config: { resource_spec: { cpu: 2 } } }),
      () => postRevision(world, id),
    ];
    for (const next of after) {
      await back();
      await next();
      expect((await latest(world, id)).secrets).toEqual(rotated);
      await ended(world, id, 'DEPLOYED');
    }
  });

  it('leaves its artifact and commit to a change of settings alone', async () => {
    const { world, id } = await made();
    const old = await ended(world, id, 'DEPLOYED');
    await change(world, id, { ...second, source_revision_config: { repo_ref: 'two' } });
    await ended(world, id, 'DEPLOYED', { commit: 'd'.repeat(40), artifact: { ...folder, key: 'builds/2' } });
    await redeploy(world, id, old.id);
    await ended(world, id, 'DEPLOYED', old.artifact === undefined ? {} : { artifact: old.artifact });
    await change(world, id, { secrets: [{ name: 'A', value: 'third' }] });
    const { revision, configuration, secrets } = await latest(world, id);
    expect(revision).toMatchObject({
      inherits: true,
      source: 'github',
      revision_config: { repo_ref: 'one' },
    });
    expect(configuration).toMatchObject({
      repo_url: first.source_config.repo_url,
      install_command: 'make two',
    });
    expect(secrets).toEqual([{ name: 'A', value: 'third' }]);
    const owner = { tenantId: world.caller.tenantId, deploymentId: id };
    expect((await inheritedFrom(world.deps, owner, revision))?.artifact).toEqual(old.artifact);
  });

  it('is a base for what comes after: the commit is found anew when a source is named', async () => {
    const { world, id } = await made();
    const old = await ended(world, id, 'DEPLOYED');
    await redeploy(world, id, old.id);
    const settings = await change(world, id, { clear_secrets: true });
    expect(settings.source_revision_config).toMatchObject({ repo_ref: 'one', repo_commit_sha: COMMIT });
    expect((await latest(world, id)).revision).toMatchObject({ inherits: true });
    const moved = await change(world, id, { source_revision_config: { repo_ref: 'three' } });
    expect(moved.source_revision_config).toMatchObject({ repo_ref: 'three', repo_commit_sha: null });
  });

  it('works for a failed revision that had a commit, and for the active one', async () => {
    const { world, id } = await made();
    const active = await ended(world, id, 'DEPLOYED');
    await postRevision(world, id);
    const failed = await ended(world, id, 'BUILD_FAILED', { commit: 'd'.repeat(40) });
    await redeploy(world, id, failed.id);
    const again = await latest(world, id);
    expect(again.revision).toMatchObject({ revision_config: { repo_commit_sha: 'd'.repeat(40) } });
    expect(again.revision).not.toHaveProperty('artifact');
    await redeploy(world, id, active.id);
    expect((await latest(world, id)).revision.artifact).toEqual(active.artifact);
  });

  it('works for an image, whatever became of it', async () => {
    const world = await aWorld();
    await register(world, 'cluster', { compute_type: 'k8s', compute_config: { k8s_namespaces: ['one'] } });
    const image = { image_uri: 'registry.example.com/app@sha256:'.concat('a'.repeat(64)) };
    const { id, latest_revision_id } = await post(world, {
      name: 'a',
      source_config: {},
      source_revision_config: image,
    });
    await interrupt(world, id, latest_revision_id);
    const shown = await redeploy(world, id, latest_revision_id);
    expect(shown).toMatchObject({ source_revision_config: image });
    expect((await latest(world, id)).revision).toMatchObject({ status: 'QUEUED', revision_config: image });
  });
});

describe('a redeploy is refused', () => {
  const nothing = (id: string, status: string) => `409 Revision ${id} has nothing to run: ${status}`;

  it('of a revision that has not finished', async () => {
    const { world, id } = await made();
    const [queued] = (await revisions(world, id)).resources;
    expect(await refusedWith(redeploy(world, id, queued?.id ?? ''))).toBe(
      nothing(queued?.id ?? '', 'QUEUED'),
    );
    const building = await inProgress(world, id, 'BUILDING', { commit: COMMIT });
    expect(await refusedWith(redeploy(world, id, building.id))).toBe(nothing(building.id, 'BUILDING'));
  });

  it('of one that has neither an artifact nor a commit', async () => {
    const { world, id } = await made();
    const failed = await ended(world, id, 'BUILD_FAILED');
    expect(await refusedWith(redeploy(world, id, failed.id))).toBe(nothing(failed.id, 'BUILD_FAILED'));
    const queued = await postRevision(world, id);
    await interrupt(world, id, queued.id);
    expect(await refusedWith(redeploy(world, id, queued.id))).toBe(nothing(queued.id, 'INTERRUPTED'));
    const empty = await post(world, {
      name: 'b',
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
    });
    const skipped = empty.latest_revision_id;
    expect(await refusedWith(redeploy(world, empty.id, skipped))).toBe(nothing(skipped, 'SKIPPED'));
  });
});

describe('a redeploy of what is being deleted meanwhile', () => {
  it.each([0, 1, 2, 3])('finds nothing, or too late, whatever it had read: call %i', async (at) => {
    const { world, id } = await made();
    const { id: old } = await ended(world, id, 'DEPLOYED', { commit: COMMIT });
    const { deps } = interruptedAt(world.deps, at, async () => {
      await remove(world, id);
      await settle(world, id);
    });
    const refusal = await refusedWith(redeploy({ ...world, deps }, id, old));
    expect(refusal).toMatch(/^40[49] /);
  });
});
