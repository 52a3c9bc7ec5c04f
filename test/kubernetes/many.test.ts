import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { api, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { EndpointWatch } from './endpoint-watch.ts';
import { type RunningListener, World } from './world.ts';

const COUNT = 50;
const NAMESPACES = ['one', 'two', 'three'] as const;

/** Two waits for all of them, of ten minutes each. */
vi.setConfig({ testTimeout: 1_500_000 });

let world: World;
let listener: RunningListener;
let made: ShownDeployment[];
const endpoints = new EndpointWatch();

beforeAll(async () => {
  world = await World.open(NAMESPACES);
  await endpoints.start(world);
  listener = world.listen();
});

afterAll(async () => {
  endpoints.stop();
  await listener.stop();
  await world.close();
});

const all = <T>(work: (one: ShownDeployment, index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(made.map(work));

describe('fifty deployments in three namespaces', () => {
  it('are brought up', async () => {
    made = await Promise.all(
      Array.from({ length: COUNT }, (_, index) =>
        world.deploy(`many-${index}`, 'example.test/agent:1', {
          namespace: NAMESPACES[index % NAMESPACES.length] ?? 'one',
        }),
      ),
    );
    made = await world.allDeployed(made);
    expect(new Set(made.map(({ source_config }) => source_config.custom_url)).size).toBe(COUNT);
  });

  it('move to a new revision, and back', async () => {
    const first = made.map(({ latest_revision_id }) => latest_revision_id);
    await world.allDeployed(await all(({ id }) => world.change(id, 'example.test/agent:2')));
    const back = await all(({ id }, index) => world.redeploy(id, first[index] ?? ''));
    expect(await world.allDeployed(back)).toHaveLength(COUNT);
  });

  it('go, and nothing of them is left', async () => {
    const statuses = await all(({ id }) => api(world.program, 'DELETE', `/v2/deployments/${id}`));
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([204]));
    await until(
      async () => {
        const { body } = await api(world.program, 'GET', '/v2/deployments?status=AWAITING_DELETE');
        return (body as { resources: object[] }).resources.length === 0;
      },
      { what: 'all to be gone' },
    );
    expect(await world.objectsOf()).toEqual([]);
  });

  it('never had a Service that served without an endpoint', () => {
    expect(endpoints.gaps).toEqual([]);
    expect(endpoints.moves).toBeGreaterThanOrEqual(COUNT * 3);
  });
});
