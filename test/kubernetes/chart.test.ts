import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULT_STORE_IMAGES } from '../../lib/listener/store-images.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import { ChartObjects } from '../support/kubernetes/chart-objects.ts';
import { rightsAsked, rightsOf } from '../support/kubernetes/rights.ts';
import {
  buildKustomization,
  fullValues,
  kustomizeFolder,
  kustomizeValues,
  leastValues,
  lintChart,
  listenerFile,
  renderChart,
  renderListenerFile,
} from './chart.ts';

const processes = new ProcessSupervisor();
afterAll(() => processes.close());

const render = async (values: object) => new ChartObjects(await renderChart(processes, values));

describe('the chart', () => {
  it.each([
    ['nothing is given', {}],
    ['the least is given', leastValues],
    ['everything is given', fullValues],
  ])('has nothing that Helm finds wrong when %s', async (_, values) => {
    expect(await lintChart(processes, values)).toContain('0 chart(s) failed');
  });

  it('takes the image of its own version, and no rights to HTTPRoutes, unless told otherwise', async () => {
    const objects = await render(leastValues);
    const { container, environment } = objects;
    expect(container.image).toBe('registry.test/listener:0.2.0');
    expect(environment).toMatchObject({
      SLIPWAY_URL: 'https://control.test',
      SLIPWAY_LISTENER_ID: leastValues.listenerId,
    });
    expect(rightsOf(objects.roles('slipway-listener').get('agents')?.rules)).toEqual(rightsAsked(false));
  });

  it('has a place for every value', async () => {
    const objects = await render(fullValues);
    const { pod, container, environment, deployment } = objects;
    expect(deployment.spec?.replicas).toBe(3);
    expect(deployment.spec?.template.metadata).toMatchObject({
      labels: { team: 'agents', 'app.kubernetes.io/name': 'slipway-listener' },
      annotations: { note: 'yes' },
    });
    expect(pod).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { pool: 'system' },
      tolerations: [{ key: 'system', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      topologySpreadConstraints: fullValues.topologySpreadConstraints,
      priorityClassName: 'high',
    });
    expect(container).toMatchObject({
      image: `registry.test/listener@${fullValues.image.digest}`,
      imagePullPolicy: 'Always',
      resources: { limits: { memory: '1Gi' } },
    });
    expect(environment).toMatchObject({
      SLIPWAY_NAMESPACES: 'agents,more',
      SLIPWAY_PLATFORM: 'linux/arm64',
      SLIPWAY_START_TIMEOUT_SECONDS: '600',
      SLIPWAY_LOG_LEVEL: 'debug',
      NODE_EXTRA_CA_CERTS: '/etc/slipway/ca.crt',
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: 'http://proxy.test',
      HTTPS_PROXY: 'http://proxy.test:8080',
      NO_PROXY: '.test',
      SLIPWAY_POSTGRES_IMAGE: 'mirror.test/pgvector@sha256:1',
      SLIPWAY_REDIS_IMAGE: 'mirror.test/redis@sha256:2',
      SLIPWAY_STORE_PULL_SECRETS: 'mirror,other',
      SLIPWAY_OPENSHIFT: 'true',
      SLIPWAY_OTLP_ENDPOINT: 'http://collector.test:4318',
    });
    expect(
      container.env?.find(({ name }) => name === 'SLIPWAY_OTLP_HEADERS')?.valueFrom?.secretKeyRef,
    ).toEqual({
      name: 'otlp',
      key: 'all',
    });
    expect(container.volumeMounts?.find(({ name }) => name === 'ca')).toEqual({
      name: 'ca',
      mountPath: '/etc/slipway',
      readOnly: true,
    });
    expect(pod.volumes?.find(({ name }) => name === 'ca')?.configMap).toEqual({
      name: 'company-ca',
      items: [{ key: 'bundle.pem', path: 'ca.crt' }],
    });
  });

  it('names the images of stores that the listener has by itself', async () => {
    const { environment } = await render(leastValues);
    expect(environment).toMatchObject({
      SLIPWAY_POSTGRES_IMAGE: DEFAULT_STORE_IMAGES.postgres,
      SLIPWAY_REDIS_IMAGE: DEFAULT_STORE_IMAGES.redis,
    });
    expect(environment).not.toHaveProperty('SLIPWAY_STORE_PULL_SECRETS');
    // As `helm upgrade --reuse-values` gives them after a release that knew nothing of stores.
    const reused = await render({ ...leastValues, stores: null, openshift: null });
    expect(reused.environment).not.toHaveProperty('SLIPWAY_POSTGRES_IMAGE');
    expect(reused.pod.securityContext?.runAsUser).toBe(1000);
  });

  it('has a user of its own, and in OpenShift the one that the cluster gives', async () => {
    const contextOf = async (openshift: boolean) =>
      (await render({ ...leastValues, openshift })).pod.securityContext;
    const strict = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
    expect(await contextOf(false)).toEqual({ ...strict, runAsUser: 1000, runAsGroup: 1000 });
    expect(await contextOf(true)).toEqual(strict);
  });

  it('grants the same in each namespace, HTTPRoutes included where gateways are used', async () => {
    const objects = await render(fullValues);
    const roles = objects.roles('slipway-listener');
    expect([...roles.keys()].toSorted()).toEqual(['agents', 'more']);
    for (const { rules } of roles.values()) expect(rightsOf(rules)).toEqual(rightsAsked(true));
    expect(objects.bindings('slipway-listener').toSorted()).toEqual([
      'agents: ServiceAccount slipway/slipway-listener',
      'more: ServiceAccount slipway/slipway-listener',
    ]);
  });

  it.each([
    [{ namespaces: ['agents', 'slipway'] }, 'namespaces must not contain slipway, where the listener itself'],
    [{ namespaces: [] }, 'namespaces is required'],
    [{ url: '' }, 'url is required'],
    [{ listenerId: '' }, 'listenerId is required'],
    [{ apiKeySecret: { name: '' } }, 'apiKeySecret.name is required'],
    [{ image: { repository: '' } }, 'image.repository is required'],
    [{ platform: 'arm64' }, '/platform'],
    [{ replica: 3 }, 'replica'],
  ])('refuses in words: %j', async (wrong, words) => {
    await expect(render({ ...leastValues, ...wrong })).rejects.toThrow(words);
  });
});

describe('the kustomization', () => {
  it('is made of the chart as it is (npm run kustomize)', async () => {
    expect(await readFile(listenerFile, 'utf8')).toBe(await renderListenerFile(processes));
  });

  it('has a marked place for what differs between installations, and is then what the chart makes', async () => {
    const folder = await temporaryFolder();
    await cp(kustomizeFolder, folder, { recursive: true });
    const file = join(folder, 'kustomization.yaml');
    const edits = [
      ['newName: registry.example.com/slipway-listener #', 'newName: registry.test/listener #'],
      ['newTag: 0.2.0 #', 'newTag: 2.0.0 #'],
      ['value: https://slipway.example.com #', 'value: https://control.test #'],
      ['value: 00000000-0000-4000-8000-000000000000 #', `value: ${leastValues.listenerId} #`],
      ['value: slipway-00000000-0000-4000-8000-000000000000 #', `value: slipway-${leastValues.listenerId} #`],
    ] as const;
    const text = await readFile(file, 'utf8');
    expect(text.match(/# EDIT/g)).toHaveLength(edits.length);
    const edited = edits.reduce((result, [from, to]) => result.replace(from, to), text);
    await writeFile(file, edited);
    const values = {
      ...leastValues,
      image: { repository: 'registry.test/listener', tag: '2.0.0' },
      apiKeySecret: { name: 'slipway-listener-key' },
    };
    const byName = ({ all }: ChartObjects) =>
      Object.fromEntries(
        all.map((object) => [
          `${object.kind} ${object.metadata?.namespace}/${object.metadata?.name}`,
          object,
        ]),
      );
    const built = new ChartObjects(await buildKustomization(processes, folder));
    expect(byName(built)).toEqual(byName(await render(values)));
    const unedited = new ChartObjects(await buildKustomization(processes, kustomizeFolder));
    expect(byName(unedited)).toEqual(byName(new ChartObjects(await renderChart(processes, kustomizeValues))));
  });
});
