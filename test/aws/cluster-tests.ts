import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import { expect, it } from 'vitest';
import { isTerminal } from '../../lib/domain/transitions.ts';
import {
  create,
  deploymentOf,
  expectApi,
  patch,
  revisionOf,
  revisionUntil,
  type ShownDeployment,
  type ShownRevision,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { OFFER_TIMEOUT_MS } from './cluster.ts';
import { type Push, pushImage } from './registry.ts';
import { COMMIT, FOREIGN_ID, reaches, type Tour } from './tour.ts';

const IMAGE = `registry.example.com/team/agent@sha256:${'a'.repeat(64)}`;

export const imageOn = (listenerId: string, name: string): object => ({
  name,
  source: 'external_docker',
  source_config: { listener_id: listenerId },
  source_revision_config: { image_uri: IMAGE },
  secrets: [{ name: 'TOKEN', value: 'a secret of the agent' }],
});

/** Images on a cluster whose listener is the test. */
export function clusterTests(tour: Partial<Tour>, at: () => Tour): void {
  let onCluster: ShownDeployment;

  it('deploys an image to a cluster', async () => {
    const { slipway, cluster, clusterId } = at();
    const body = imageOn(clusterId, 'on-cluster');
    onCluster = await expectApi<ShownDeployment>(slipway, 'POST', '/v2/deployments', body, 201);
    const task = await cluster.claim(onCluster.latest_revision_id);
    expect(task).toMatchObject({
      artifact: { kind: 'image', uri: IMAGE },
      environment: expect.arrayContaining([{ name: 'TOKEN', value: 'a secret of the agent' }]),
      k8s_namespace: 'agents',
    });
    await cluster.log(task, 'pulling the image');
    expect(await cluster.heartbeat(task)).toMatchObject({ stop: false });
    const url = 'https://agent.example.com';
    expect(await cluster.complete(task, 'succeeded', { url })).toEqual({ accepted: true });
    await reaches(at(), 'DEPLOYED', onCluster, onCluster.latest_revision_id, 6);
    expect(await deploymentOf(slipway, onCluster.id)).toMatchObject({
      active_revision_id: onCluster.latest_revision_id,
      source_config: { custom_url: url },
    });
    const logs = `/v1/projects/${onCluster.id}/deploy_logs`;
    expect(await expectApi(slipway, 'POST', logs, {}, 200)).toMatchObject({
      logs: expect.arrayContaining([expect.objectContaining({ message: 'pulling the image' })]),
    });
  });

  it('processes one revision at a time, and interrupts those in the queue and at work', async () => {
    const { slipway, cluster } = at();
    const change = (value: string) => patch(slipway, onCluster.id, { secrets: [{ name: 'TOKEN', value }] });
    const { latest_revision_id: second } = await change('another secret');
    const { latest_revision_id: third } = await change('yet another');
    const path = `/v2/deployments/${onCluster.id}/revisions`;
    const task = await cluster.claim(second);
    const list = () =>
      expectApi<{ resources: ShownRevision[] }>(slipway, 'GET', `/api-host${path}`, undefined, 200);
    expect((await list()).resources.map(({ status }) => status)).toEqual(['QUEUED', 'DEPLOYING', 'DEPLOYED']);
    await expectApi(slipway, 'POST', `${path}/${third}/interrupt`, undefined, 200);
    await expectApi(slipway, 'POST', `${path}/${second}/interrupt`, undefined, 200);
    const isOver = async () => {
      // As a listener that works: on a slow machine its lease would run out.
      await cluster.heartbeat(task, 'starting');
      return isTerminal((await revisionOf(slipway, onCluster.id, second)).status);
    };
    await until(isOver, { what: 'the revision at work to end' });
    expect(await cluster.cancelled()).toEqual([task.task_id]);
    expect(await cluster.complete(task, 'stopped')).toEqual({ accepted: true });
    expect((await list()).resources.map(({ status }) => status)).toEqual([
      'INTERRUPTED',
      'INTERRUPTED',
      'DEPLOYED',
    ]);
  });

  it('withdraws a task that its listener has not taken when its revision is interrupted', async () => {
    const { slipway, cluster } = at();
    const secrets = [{ name: 'TOKEN', value: 'never deployed' }];
    const { latest_revision_id: next } = await patch(slipway, onCluster.id, { secrets });
    const isOffered = async () => (await cluster.desired(onCluster.id))?.held;
    await until(isOffered, { timeoutMs: OFFER_TIMEOUT_MS, what: 'the task to be offered' });
    const path = `/v2/deployments/${onCluster.id}/revisions/${next}/interrupt`;
    await expectApi(slipway, 'POST', path, undefined, 200);
    await reaches(at(), 'INTERRUPTED', onCluster, next, 6);
    expect(await cluster.offered()).toEqual([]);
  });

  it('lists deployments, by name and under its other address too', async () => {
    const { slipway, executions, clusterId } = at();
    const body = imageOn(clusterId, 'aborted');
    const aborted = await expectApi<ShownDeployment>(slipway, 'POST', '/v2/deployments', body, 201);
    tour.aborted = aborted;
    const path = '/api-host/v2/deployments?name_contains=on-clu';
    expect(await expectApi(slipway, 'GET', path, undefined, 200)).toMatchObject({
      resources: [{ id: onCluster.id, name: 'on-cluster' }],
    });
    // What becomes of it when its execution is gone is looked at further down: sweep has a minute.
    await revisionUntil(
      slipway,
      aborted.id,
      aborted.latest_revision_id,
      (status) => status === 'AWAITING_DEPLOY',
    );
    const [execution] = await executions.of(aborted.latest_revision_id);
    await executions.client.send(new StopExecutionCommand({ executionArn: execution?.arn }));
  });

  it('builds an image for a cluster, pushed with rights to its own repository only', async () => {
    const { slipway, ground, cluster, clusterId } = at();
    const repository = 'ssh://git@git.example.com/team/agent.git';
    const source_config = { repo_url: repository, listener_id: clusterId };
    const made = await create(slipway, 'agent', repository, { source_config });
    const build = await slipway.builds.take();
    const { push, output } = (await slipway.builds.takeJob(build)) as { push: Push; output: string }; // see build-job.ts
    expect([output, push.repository]).toEqual([
      'image',
      expect.stringMatching(`/${slipway.tenantId}/${made.id}$`),
    ]);
    await expect(
      pushImage(ground.emulator, push, `slipway/${slipway.tenantId}/${FOREIGN_ID}`),
    ).rejects.toThrow(/not authorized/);
    const ARTIFACT_DIGEST = await pushImage(ground.emulator, push);
    await slipway.builds.succeed(build, {
      ARTIFACT_DIGEST,
      ARTIFACT_SERVER: 'langgraph',
      COMMIT_SHA: COMMIT,
    });
    const task = await cluster.claim(made.latest_revision_id);
    const uri = `${push.repository}@${ARTIFACT_DIGEST}`;
    expect(task.artifact).toEqual({ kind: 'image', uri, platforms: ['linux/amd64'] });
    await cluster.complete(task, 'succeeded');
    await reaches(at(), 'DEPLOYED', made, made.latest_revision_id, 8);
  });
}
