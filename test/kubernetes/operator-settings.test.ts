import type { KubernetesObject, V1Deployment, V1NetworkPolicy } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_STORE_IMAGES } from '../../lib/listener/store-images.ts';
import { api, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { type RunningListener, World } from './world.ts';

const IMAGE = 'example.test/agent:1';
const helper = { name: 'helper', image: 'example.test/helper:1' };
const root = { sidecars: [{ ...helper, securityContext: { privileged: true } }] };
const loose = { pod_security: 'privileged' };

let strict: World;
let free: World;
const listeners: RunningListener[] = [];

/** One namespace enforces `restricted`, the other nothing; each has a listener of that kind. */
beforeAll(async () => {
  strict = await World.open(['strict'], { pod_security: 'restricted' });
  free = await strict.beside(['free'], loose);
  listeners.push(strict.listen(), free.listen());
});

afterAll(async () => {
  for (const listener of listeners) await listener.stop();
  await strict.close();
});

const uidsOf = (objects: KubernetesObject[]) => new Set(objects.map(({ metadata }) => metadata?.uid));

const storesOf = async (world: World, { id }: ShownDeployment): Promise<V1Deployment[]> =>
  (await world.objectsOf(id)).filter(
    ({ metadata }) => metadata?.annotations?.['slipway.dev/store'] !== undefined,
  );

const imagesOf = async (world: World, made: ShownDeployment) =>
  new Set((await storesOf(world, made)).map(({ spec }) => spec?.template.spec?.containers[0]?.image));

const policyOf = async (world: World, { id }: ShownDeployment): Promise<V1NetworkPolicy | undefined> =>
  (await world.objectsOf(id)).find(({ kind }) => kind === 'NetworkPolicy');

describe('where restricted is enforced', () => {
  it('a server comes up with its workers, stores and helpers that say nothing of it', async () => {
    const spec = {
      db_storage_gi: 1,
      init_containers: [{ ...helper, name: 'first' }],
      sidecars: [helper],
    };
    const made = await strict.deploy('all_of_it', IMAGE, { spec });
    await strict.deployed(made);
    expect(await imagesOf(strict, made)).toEqual(new Set(Object.values(DEFAULT_STORE_IMAGES)));
  });

  it('what would be refused there is refused when it is made', async () => {
    const body = {
      name: 'refused',
      source_config: { listener_id: strict.listenerId, resource_spec: root },
      source_revision_config: { image_uri: IMAGE },
    };
    const { status, body: answer } = await api(strict.program, 'POST', '/v2/deployments', body);
    expect(status).toBe(400);
    expect(JSON.stringify(answer)).toContain('resource_spec.sidecars[0].securityContext.privileged');
  });
});

describe('what an operator changes', () => {
  it('leaves what runs, and refuses it by field when it is started anew', async () => {
    const made = await free.deploy('rooted', IMAGE, { spec: root });
    const { active_revision_id: active } = await free.deployed(made);
    const before = uidsOf(await free.pods(made.id));
    await free.configure({ pod_security: 'baseline', egress: ['namespace/data:5432'] });
    const isLimited = async () => (await policyOf(free, made))?.spec?.egress?.length === 4;
    await until(isLimited, { what: 'the egress to be limited' });
    expect(uidsOf(await free.pods(made.id))).toEqual(before);

    const again = await free.redeploy(made.id, active ?? '');
    const { status, status_message: message } = await free.ended(again);
    expect([status, message]).toEqual([
      'DEPLOY_FAILED',
      expect.stringMatching(/resource_spec\.sidecars\[0\]\.securityContext\.privileged: true is refused/),
    ]);
    expect(uidsOf(await free.pods(made.id))).toEqual(before);

    await free.configure(loose);
    const isFree = async () => (await policyOf(free, made))?.spec?.egress === undefined;
    await until(isFree, { what: 'the egress to be free again' });
    await free.deployed(await free.redeploy(made.id, active ?? ''));
  });

  it('of the images of stores comes with the next revision', async () => {
    const made = await free.deploy('stores', IMAGE, { spec: { db_storage_gi: 1 } });
    const { active_revision_id: active } = await free.deployed(made);
    const defaults = new Set(Object.values(DEFAULT_STORE_IMAGES));
    expect(await imagesOf(free, made)).toEqual(defaults);
    const generations = async () => (await storesOf(free, made)).map(({ metadata }) => metadata?.generation);
    const before = await generations();

    await listeners.pop()?.stop();
    const mirror = ['mirror.test/pgvector@sha256:1', 'mirror.test/redis@sha256:2'] as const;
    const images = ['--postgres-image', mirror[0], '--redis-image', mirror[1]];
    listeners.push(free.listen(free.cluster.kubeconfig, ...images));
    // The new one has looked at everything once it has made another deployment.
    await free.deployed(await free.deploy('other', IMAGE));
    expect(await imagesOf(free, made)).toEqual(defaults);
    expect(await generations()).toEqual(before);

    await free.deployed(await free.redeploy(made.id, active ?? ''));
    expect(await imagesOf(free, made)).toEqual(new Set(mirror));
  });
});
