import { describe, expect, it, vi } from 'vitest';
import { SourceError } from '../../lib/adapters/git.ts';
import { OUTPUT_FOLLOWS } from '../../lib/domain/agent-failure.ts';
import { getDeployment } from '../../lib/features/deployments/get.ts';
import { redeployRevision } from '../../lib/features/deployments/redeploy.ts';
import { complete } from '../support/world/listening.ts';
import { change, github, post, showRevision } from '../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import { buildStarted, claimed, deploy, deployBuilt, reaches } from '../support/world/steps.ts';

const statuses = async (world: RunningWorld, deploymentId: string, revisionId: string) =>
  (await showRevision(world, deploymentId, revisionId)).status_history.map(({ status }) => status);

const show = (world: RunningWorld, deploymentId: string) =>
  getDeployment(world.deps, { params: { deployment_id: deploymentId } }, world.caller);

describe('the state machine', () => {
  it('takes a revision from git through build and deploy, in at most 8 transitions', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await deploy(world, id, revisionId);
    expect(await statuses(world, id, revisionId)).toEqual([
      'CREATING',
      'QUEUED',
      'AWAITING_BUILD',
      'BUILDING',
      'AWAITING_DEPLOY',
      'DEPLOYING',
      'DEPLOYED',
    ]);
    const shown = await show(world, id);
    expect(shown).toMatchObject({ active_revision_id: revisionId, status: 'READY' });
    expect(shown.source_config.custom_url).toBe('http://localhost:4401/d/it');
    const entered = world.deps.workflow.history(`${revisionId}-1`);
    const transitions = entered.filter(({ type }) =>
      /StateEntered|ExecutionStarted|ExecutionSucceeded/.test(type),
    );
    expect(transitions.length).toBeGreaterThan(4);
    expect(transitions.length).toBeLessThanOrEqual(8);
  });

  it('knows a commit by what it says of itself, without the secrets of the deployment', async () => {
    const world = await aRunningWorld();
    const said = { message: 'Use sesame-1234 twice\n\nAs before', author: 'Ann', at: '2026-01-02T03:04:05Z' };
    world.deps.git.look = async () => ({ said, changed: undefined });
    const secrets = [{ name: 'DOOR', value: 'sesame-1234' }];
    const { id, latest_revision_id: revisionId } = await post(world, { ...github('app'), secrets });
    await buildStarted(world, revisionId);
    expect((await showRevision(world, id, revisionId)).commit).toEqual({
      message: 'Use *** twice',
      author: 'Ann',
      at: '2026-01-02T03:04:05.000Z',
    });
  });

  it('deploys an image without a build, in at most 6 transitions', async () => {
    const world = await aRunningWorld({ computeType: 'k8s' });
    const { id, latest_revision_id: revisionId } = await post(world, {
      name: 'image',
      source_config: {},
      source_revision_config: { image_uri: 'registry.example.com/app:1' },
    });
    const task = await claimed(world);
    expect(task).toMatchObject({ artifact: { kind: 'image', uri: 'registry.example.com/app:1' } });
    await complete(world, task, 'succeeded');
    const revision = await reaches(world, id, revisionId, 'DEPLOYED');
    expect(revision.status_message).toMatch(/reported no address/);
    const transitions = world.deps.workflow
      .history(`${revisionId}-1`)
      .filter(({ type }) => /StateEntered|ExecutionStarted|ExecutionSucceeded/.test(type));
    expect(transitions.length).toBeLessThanOrEqual(6);
  });

  it('ends as BUILD_FAILED with the reason when the ref does not exist, and the log says so last', async () => {
    const world = await aRunningWorld();
    world.deps.git.resolve = async () => {
      throw new SourceError("Ref 'nowhere' does not exist");
    };
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    const revision = await reaches(world, id, revisionId, 'BUILD_FAILED');
    expect(revision.status_message).toBe("Ref 'nowhere' does not exist");
    const stream = { tenantId: world.caller.tenantId, deploymentId: id, revisionId, type: 'build' } as const;
    const { entries } = await world.deps.logs.query(stream, { order: 'desc', limit: 1 });
    expect(entries[0]?.message).toBe("Ref 'nowhere' does not exist");
    expect(world.deps.builds.jobs.size).toBe(0);
  });

  it('ends as BUILD_FAILED with what the build said, and the queue moves on', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    const { latest_revision_id: second } = await change(world, id, {
      source_revision_config: { repo_ref: 'next' },
    });
    await buildStarted(world, first);
    await world.deps.builds.become(`build-${first}`, {
      state: 'failed',
      message: '`npm ci` exited with code 1',
    });
    expect((await reaches(world, id, first, 'BUILD_FAILED')).status_message).toBe(
      '`npm ci` exited with code 1',
    );
    await deploy(world, id, second);
  });

  it('ends as DEPLOY_FAILED with what the listener said, and what was active stays', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await deploy(world, id, first);
    const { latest_revision_id: second } = await change(world, id, {
      secrets: [{ name: 'A', value: 'sekret-value' }],
    });
    const task = await claimed(world);
    // Who sees the status reads the log next: the line stands there by then.
    const append = world.deps.logs.append.bind(world.deps.logs);
    const whenLogged: string[] = [];
    vi.spyOn(world.deps.logs, 'append').mockImplementation(async (stream, lines) => {
      whenLogged.push((await showRevision(world, id, second)).status);
      await append(stream, lines);
    });
    await complete(world, task, 'failed', {
      status_message: `It printed sekret-value and exited.${OUTPUT_FOLLOWS}\nsekret-value`,
      previous_serving: true,
    });
    const revision = await reaches(world, id, second, 'DEPLOY_FAILED');
    expect(revision.status_message).toBe(`It printed *** and exited.${OUTPUT_FOLLOWS}\n***`);
    const place = { tenantId: world.caller.tenantId, deploymentId: id, revisionId: second };
    const { entries } = await world.deps.logs.query(
      { ...place, type: 'deploy' },
      { order: 'desc', limit: 1 },
    );
    expect(entries[0]?.message).toBe('It printed *** and exited.');
    expect(whenLogged).toEqual(['DEPLOYING']);
    expect(await show(world, id)).toMatchObject({ active_revision_id: first, status: 'READY' });
  });

  it('changes settings alone without a build, on the artifact of the revision before', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    const { latest_revision_id: second } = await change(world, id, { secrets: [{ name: 'A', value: '1' }] });
    await deploy(world, id, first);
    await deployBuilt(world, id, second);
    expect(world.deps.builds.jobs.size).toBe(1);
    expect(await statuses(world, id, second)).not.toContain('BUILDING');
    expect((await showRevision(world, id, second)).source_revision_config.repo_commit_sha).toBe(
      'c'.repeat(40),
    );
  });

  it('redeploys an earlier revision without a build, with the secrets it had', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(
      world,
      github('app', { secrets: [{ name: 'A', value: 'old' }] }),
    );
    await deploy(world, id, first);
    const { latest_revision_id: second } = await change(world, id, {
      secrets: [{ name: 'A', value: 'new' }],
      source_revision_config: { repo_ref: 'next' },
    });
    await deploy(world, id, second);
    const params = { deployment_id: id, revision_id: first };
    const again = await redeployRevision(world.deps, { params, query: {}, headers: {} }, world.caller);
    expect(again.source_revision_config.repo_ref).toBe('main');
    const task = await claimed(world);
    expect(task).toMatchObject({ environment: [{ name: 'A', value: 'old' }] });
    await complete(world, task, 'succeeded');
    await reaches(world, id, again.latest_revision_id, 'DEPLOYED');
    expect(world.deps.builds.jobs.size).toBe(2);
  });

  it('skips a deployment with nothing to build yet', async () => {
    const world = await aRunningWorld();
    const body = {
      name: 'later',
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
    } as const;
    const { id, latest_revision_id: revisionId } = await post(world, body);
    const revision = await showRevision(world, id, revisionId);
    expect(revision).toMatchObject({ status: 'SKIPPED', queue_position: null });
    expect(revision.status_message).toMatch(/upload/);
  });
});
