import type { KubernetesObject } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { api, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { EndpointWatch } from './endpoint-watch.ts';
import { servingSet, setOf } from './points.ts';
import { type RunningListener, World } from './world.ts';

const scaled = { min_scale: 2, max_scale: 4, cpu: 0.25, memory_mb: 512 };

let world: World;
let listener: RunningListener;
const endpoints = new EndpointWatch();

beforeAll(async () => {
  world = await World.open();
  await endpoints.start(world);
  listener = world.listen();
});

afterAll(async () => {
  endpoints.stop();
  await listener.stop();
  await world.close();
});

const uidsOf = (objects: KubernetesObject[]) => new Set(objects.map(({ metadata }) => metadata?.uid));

async function goneFrom({ id }: ShownDeployment): Promise<void> {
  const isGone = async () => (await api(world.program, 'GET', `/v2/deployments/${id}`)).status === 404;
  await until(isGone, { what: 'the deployment to be gone' });
}

describe('a deployment in a cluster', () => {
  let made: ShownDeployment;
  let first: string;

  it('is brought up behind a Service, and says where it answers', async () => {
    made = await world.deploy('agent_one', 'example.test/agent:1', {
      spec: scaled,
      secrets: [{ name: 'GREETING', value: 'a secret greeting' }],
    });
    first = made.latest_revision_id;
    const { source_config } = await world.deployed(made);
    expect(source_config.custom_url).toMatch(/^http:\/\/agent-one-[0-9a-f]{8}\.agents\.svc\.cluster\.local$/);
    expect(await world.pods(made.id)).toHaveLength(2);
    const objects = await world.objectsOf(made.id);
    expect(objects.map(({ kind = '' }) => kind).toSorted((one, other) => one.localeCompare(other))).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Secret',
      'Service',
      'Service',
      'ServiceAccount',
    ]);
    const others = objects.filter(({ kind }) => kind !== 'Secret');
    expect(JSON.stringify(others)).not.toContain('a secret greeting');
  });

  it('moves to a new revision with as many servers, and keeps the old ones for their grace', async () => {
    const changed = await world.change(made.id, 'example.test/agent:2');
    await world.deployed(changed);
    expect(await world.pods(made.id)).toHaveLength(4);
  });

  it('goes back within the grace without starting anything', async () => {
    const before = uidsOf(await world.pods(made.id));
    await world.deployed(await world.redeploy(made.id, first));
    expect(uidsOf(await world.pods(made.id))).toEqual(before);
  });

  it('is restarted when what runs is deployed again', async () => {
    const before = uidsOf(await world.pods(made.id));
    const { active_revision_id: active } = await world.deployed(made);
    await world.deployed(await world.redeploy(made.id, active ?? ''));
    const after = uidsOf(await world.pods(made.id));
    expect(after.difference(before).size).toBe(2);
  });

  it('is left alone by a revision that cannot be had, and says why that is', async () => {
    const before = await world.pods(made.id);
    const serving = await servingSet(world, made.id);
    const changed = await world.change(made.id, 'pretend.test/pull-fail:1');
    expect(await world.ended(changed)).toMatchObject({
      status: 'DEPLOY_FAILED',
      status_message: expect.stringContaining('is not in its registry'),
    });
    // Those of sets whose grace runs may go meanwhile.
    const isTakenBack = async () => uidsOf(await world.pods(made.id)).isSubsetOf(uidsOf(before));
    await until(isTakenBack, { what: 'what was brought up to be removed' });
    const own = (pods: KubernetesObject[]) => uidsOf(pods.filter((pod) => setOf(pod) === serving));
    expect(own(await world.pods(made.id))).toEqual(own(before));
    expect(own(before).size).toBe(2);
  });

  it('goes with everything that it had', async () => {
    expect(await api(world.program, 'DELETE', `/v2/deployments/${made.id}`)).toMatchObject({ status: 204 });
    await goneFrom(made);
    expect(await world.objectsOf(made.id)).toEqual([]);
  });

  it('never had a Service that served without an endpoint', () => {
    expect(endpoints.gaps).toEqual([]);
    expect(endpoints.moves).toBeGreaterThanOrEqual(4);
  });
});
