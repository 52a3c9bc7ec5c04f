import { describe, expect, it } from 'vitest';
import { openSecrets } from '../../../lib/app/secrets.ts';
import { findDeployment, getConfiguration } from '../../../lib/store/engine/deployments.ts';
import { getRevisionItem } from '../../../lib/store/engine/revisions.ts';
import { interruptedAt } from '../../support/table/stepwise.ts';
import { settle } from '../../support/world/deleting.ts';
import { COMMIT, ended, inProgress } from '../../support/world/processed.ts';
import {
  change,
  github,
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
    build_command: 'make one',
    resource_spec: { cpu: 1 },
  },
  source_revision_config: { repo_ref: 'one', graph_config_path: 'one/langgraph.json' },
  secrets: [{ name: 'A', value: 'first value' }],
};
const second = {
  source_config: {
    repo_url: 'https://example.com/two.git',
    build_command: '',
    install_command: 'make two',
    resource_spec: {},
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
  return { revision, configuration, secrets: await openSecrets(deps, owner, revision.secrets) };
}

describe('a redeploy', () => {
  it('runs what the revision ran, and makes that the configuration', async () => {
    const { world, id } = await made();
    const old = await ended(world, id, 'DEPLOYED');
    const ran = await latest(world, id);
    await change(world, id, { ...second, tracked_packages: ['kept'] });
    const shown = await redeploy(world, id, old.id);
    expect(shown).toMatchObject({
      source_config: { ...first.source_config, install_command: null },
      source_revision_config: { ...first.source_revision_config, repo_commit_sha: COMMIT },
      secrets: [{ name: 'A' }],
      tracked_packages: ['kept'],
      config_version: 3,
    });
    expect(await show(world, id)).toEqual(shown);
    const again = await latest(world, id);
    expect(again.revision).toMatchObject({
      status: 'QUEUED',
      artifact: old.artifact,
      inherits: false,
    });
    expect({ ...again.configuration, version: 1 }).toEqual(ran.configuration);
    expect(again.secrets).toEqual(first.secrets);
  });

  it('with secrets=current has the secrets of today', async () => {
    const { world, id } = await made();
    const old = await ended(world, id, 'DEPLOYED');
    await change(world, id, second);
    const shown = await redeploy(world, id, old.id, { secrets: 'current' });
    expect(shown.secrets.map(({ name }) => name)).toEqual(['A', 'B']);
    expect(shown.source_config).toMatchObject(first.source_config);
    expect((await latest(world, id)).secrets).toEqual(second.secrets);
  });

  it('of a time without secrets leaves none, and they can be set again', async () => {
    const { world, id } = await made({ ...first, secrets: [] });
    const old = await ended(world, id, 'DEPLOYED');
    await change(world, id, second);
    expect((await redeploy(world, id, old.id)).secrets).toEqual([]);
    expect((await latest(world, id)).secrets).toEqual([]);
    await change(world, id, { secrets: first.secrets });
    expect((await latest(world, id)).secrets).toEqual(first.secrets);
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

describe('an interrupt', () => {
  it('says when it came, and is no error twice', async () => {
    const { world, id } = await made(github('a'));
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
