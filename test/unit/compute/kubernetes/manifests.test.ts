import { spawnSync } from 'node:child_process';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadYaml } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readOptions } from '../../../../lib/listener/options.ts';
import manifest from '../../../../package.json' with { type: 'json' };
import { temporaryFolder } from '../../../support/files/temporary-folder.ts';
import { ChartObjects } from '../../../support/kubernetes/chart-objects.ts';
import { rightsAsked, rightsOf } from '../../../support/kubernetes/rights.ts';

const chart = new URL('../../../../charts/slipway-listener/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, chart), 'utf8');
const objects = new ChartObjects(read('kustomize/listener.yaml'));
const { pod, container, environment } = objects;

describe('the release', () => {
  const { version } = manifest;
  const withVersion = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, found]) => found);

  it('is the version of the chart, and the tag of the image that it takes', () => {
    expect(loadYaml(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
    expect(withVersion(read('kustomize/values.yaml'), /^ {2}tag: (\S+)$/gm)).toEqual([version]);
    expect(withVersion(read('kustomize/kustomization.yaml'), /newTag: (\S+)/g)).toEqual([version]);
  });

  it.each(['docs/kubernetes.md', 'Dockerfile'])('is the tag in %s', (file) => {
    const text = readFileSync(new URL(`../../${file}`, chart), 'utf8');
    const tags = withVersion(text, /(?:\$IMAGE|\/slipway-listener):(\d[\w.-]*)/g);
    expect(new Set(tags)).toEqual(new Set([version]));
  });
});

describe('the listener in a cluster', () => {
  it('may do in namespaces of agents exactly what its driver asks for', () => {
    const roles = objects.roles('slipway-listener');
    expect([...roles.keys()]).toEqual(['agents']);
    expect(rightsOf(roles.get('agents')?.rules)).toEqual(rightsAsked(false));
    expect(objects.bindings('slipway-listener')).toEqual(['agents: ServiceAccount slipway/slipway-listener']);
  });

  it('may write the one lease of its own namespace, and nothing else there', () => {
    const roles = objects.roles('slipway-listener-lease');
    const lease = `slipway-${environment.SLIPWAY_LISTENER_ID}`;
    expect([...roles.keys()]).toEqual(['slipway']);
    expect(rightsOf(roles.get('slipway')?.rules)).toEqual([
      'coordination.k8s.io/leases create',
      `coordination.k8s.io/leases get ${lease}`,
      `coordination.k8s.io/leases update ${lease}`,
    ]);
    expect(objects.bindings('slipway-listener-lease')).toEqual([
      'slipway: ServiceAccount slipway/slipway-listener',
    ]);
    expect(objects.of('ClusterRole')).toEqual([]);
  });

  it('runs twice, on two nodes where there are two, of which one may be taken', () => {
    expect(objects.deployment.spec?.replicas).toBe(2);
    const selector = objects.deployment.spec?.selector;
    expect(pod.topologySpreadConstraints).toEqual([
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: selector,
      },
    ]);
    expect(objects.of('PodDisruptionBudget')).toMatchObject([{ spec: { maxUnavailable: 1, selector } }]);
  });

  it('is not root, writes to /tmp alone, and has the only token', () => {
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.volumeMounts).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
    expect(pod.automountServiceAccountToken).toBe(true);
    expect(objects.of('ServiceAccount')).toMatchObject([{ automountServiceAccountToken: false }]);
  });

  it('has variables that its program understands, and its key from a Secret', () => {
    const given = readOptions([], { ...environment, SLIPWAY_API_KEY: 'key' });
    expect(given).toMatchObject({
      driver: 'kubernetes',
      url: 'https://slipway.example.com',
      namespaces: ['agents'],
      leaseNamespace: 'slipway',
      heartbeatFile: '/tmp/heartbeat',
    });
    expect(container.env?.find(({ name }) => name === 'SLIPWAY_API_KEY')?.valueFrom).toEqual({
      secretKeyRef: { name: 'slipway-listener-key', key: 'api-key' },
    });
  });

  it.each([
    ['passes just after a heartbeat', 0, 0],
    ['passes some seconds later', 50, 0],
    ['does not pass when it has stopped for a minute', 61, 1],
    ['does not pass before the first', undefined, 1],
  ])('is probed: %s', async (_, ageSeconds, status) => {
    const file = join(await temporaryFolder(), 'heartbeat');
    if (ageSeconds !== undefined) {
      writeFileSync(file, '');
      const at = Date.now() / 1000 - ageSeconds;
      utimesSync(file, at, at);
    }
    const probes = [container.livenessProbe, container.readinessProbe];
    for (const probe of probes) {
      const [command = '', ...args] = probe?.exec?.command ?? [];
      const ended = spawnSync(
        command,
        args.map((word) => word.replace('/tmp/heartbeat', file)),
      );
      expect(ended.status).toBe(status);
    }
  });
});

type Schema = { type?: string; properties?: Record<string, Schema>; additionalProperties?: unknown };
const schema: Schema = JSON.parse(read('values.schema.json'));
const values: unknown = loadYaml(read('values.yaml'));

/** The names of all values that are known, one within the other. */
function namesIn(value: unknown, { properties }: Schema): unknown {
  if (properties === undefined) return true;
  const given = Object.entries(value ?? {});
  return Object.fromEntries(given.map(([name, each]) => [name, namesIn(each, properties[name] ?? {})]));
}

const namesOf = ({ properties }: Schema): unknown =>
  properties === undefined
    ? true
    : Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, namesOf(each)]));

describe('the values of the chart', () => {
  it('are those of its schema, which allows no other', () => {
    // Helm gives every chart `global`.
    const { global: _, ...own } = schema.properties ?? {};
    const known = { ...schema, properties: own };
    expect(namesIn(values, known)).toEqual(namesOf(known));
    const open = JSON.stringify(schema).match(/"properties"/g)?.length;
    expect(JSON.stringify(schema).match(/"additionalProperties":false/g)).toHaveLength(open ?? 0);
  });

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test reads it as JSON Schema
  const checked = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);

  it('have defaults that it takes, as what kustomize is made of', () => {
    expect(checked.safeParse(values).error).toBeUndefined();
    expect(checked.safeParse(loadYaml(read('kustomize/values.yaml'))).error).toBeUndefined();
  });

  it.each([
    { url: 'slipway.example.com' },
    { namespaces: ['Agents'] },
    { image: { digest: 'sha256:1' } },
    { platform: 'arm64' },
    { logLevel: 'loud' },
    { replica: 3 },
    { apiKeySecret: 'key' },
  ])('are refused when they are wrong: %j', (wrong) => {
    expect(checked.safeParse(wrong).success).toBe(false);
  });
});
