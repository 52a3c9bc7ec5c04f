import type { KubernetesObject, V1Secret } from '@kubernetes/client-node';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PullCredentials } from '../../../../lib/compute/kubernetes/pull-credentials.ts';
import { kubernetesConfig } from '../../../../lib/contract/kubernetes-config.ts';
import type { RegistryCredentials } from '../../../../lib/listener/control-plane.ts';
import { ControlPlaneRefused } from '../../../../lib/listener/http.ts';
import { createLog } from '../../../../lib/listener/log.ts';
import { plainSpec } from '../../../support/world/deploy-spec.ts';

const LISTENER = '0199f5f6-1c1e-7aaa-8bbb-00112233abcd';
const REGISTRY = '123456789012.dkr.ecr.eu-central-1.amazonaws.com';
const NAME = 'slipway-pull-2233abcd';
const HOUR = 3_600_000;

const specOf = (id: string, uri = `${REGISTRY}/app@sha256:1`) =>
  plainSpec({
    deployment_id: id,
    deployment_name: 'app',
    tenant_id: '00000000-0000-4000-8000-000000000003',
    revision_id: '00000000-0000-4000-8000-000000000002',
    artifact: { kind: 'image', uri },
  });

/** Time passes when the test says so. */
function aListener() {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00Z'), toFake: ['Date', 'setTimeout'] });
  const asked: number[] = [];
  const applied: V1Secret[] = [];
  const needed: string[] = [];
  const state: { problem: Error | undefined; isForbidden: boolean } = {
    problem: undefined,
    isForbidden: false,
  };
  const credentials = new PullCredentials({
    cluster: {
      apply: async <T extends KubernetesObject>(object: T) => {
        if (state.isForbidden) throw new Error('forbidden');
        applied.push(object);
        return object;
      },
    },
    controlPlane: {
      registryCredentials: async (): Promise<RegistryCredentials> => {
        asked.push(Date.now());
        if (state.problem !== undefined) throw state.problem;
        const expires_at = new Date(Date.now() + HOUR).toISOString();
        return { registry: REGISTRY, username: 'AWS', password: `password ${asked.length}`, expires_at };
      },
    },
    listenerId: LISTENER,
    needed: (id) => void needed.push(id),
    log: createLog('error', () => undefined),
  });
  onTestFinished(() => {
    credentials.close();
    vi.useRealTimers();
  });
  const context = (namespace: string, config: object = {}) => ({
    ...{ listenerId: LISTENER, namespace, graceSeconds: 1, computeConfig: kubernetesConfig.parse(config) },
  });
  return { credentials, state, asked, applied, needed, context };
}

const passwordIn = ({ data }: V1Secret) => {
  const config: unknown = JSON.parse(Buffer.from(data?.['.dockerconfigjson'] ?? '', 'base64').toString());
  return config;
};

it('writes one Secret a namespace, before anything pulls', async () => {
  const { credentials, asked, applied, context } = aListener();
  expect(credentials.secretFor(specOf('a'))).toBeUndefined();
  await Promise.all(['a', 'b'].map((id) => credentials.prepare(specOf(id), context('agents'))));
  await credentials.prepare(specOf('c'), context('others'));
  expect(asked).toHaveLength(1);
  expect(credentials.secretFor(specOf('a'))).toBe(NAME);
  expect([...new Set(applied.map(({ metadata }) => metadata?.namespace))]).toEqual(['agents', 'others']);
  expect(applied[0]).toMatchObject({
    type: 'kubernetes.io/dockerconfigjson',
    metadata: {
      name: NAME,
      labels: { 'app.kubernetes.io/managed-by': 'slipway', 'slipway.dev/listener': LISTENER },
    },
  });
  expect(passwordIn(applied[0] ?? {})).toEqual({
    auths: {
      [REGISTRY]: {
        username: 'AWS',
        password: 'password 1',
        auth: Buffer.from('AWS:password 1').toString('base64'),
      },
    },
  });
});

it('writes none for images of other registries, and none where nodes pull', async () => {
  const { credentials, applied, asked, context } = aListener();
  await credentials.prepare(specOf('a'), context('agents', { image_pull: 'node' }));
  expect(asked).toEqual([]);
  const other = specOf('b', `${REGISTRY}.example/app@sha256:1`);
  await credentials.prepare(other, context('agents'));
  expect(credentials.secretFor(other)).toBeUndefined();
  expect(applied).toEqual([]);
});

it('renews it in place at half its life, as long as somebody needs it', async () => {
  const { credentials, applied, asked, context } = aListener();
  await credentials.prepare(specOf('a'), context('agents'));
  await vi.advanceTimersByTimeAsync(HOUR / 2 - 1000);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(asked).toHaveLength(2);
  expect(passwordIn(applied.at(-1) ?? {})).toMatchObject({
    auths: { [REGISTRY]: { password: 'password 2' } },
  });

  credentials.forget('a');
  await vi.advanceTimersByTimeAsync(2 * HOUR);
  expect(asked).toHaveLength(2);
  await credentials.prepare(specOf('a'), context('agents'));
  expect(passwordIn(applied.at(-1) ?? {})).toMatchObject({
    auths: { [REGISTRY]: { password: 'password 3' } },
  });
});

it('asks an installation without a registry again after ten minutes', async () => {
  const { credentials, state, applied, asked, needed, context } = aListener();
  state.problem = new ControlPlaneRefused(404, 'no registry');
  await credentials.prepare(specOf('a'), context('agents'));
  await credentials.prepare(specOf('b'), context('agents'));
  await vi.advanceTimersByTimeAsync(HOUR / 10);
  await credentials.prepare(specOf('a'), context('agents'));
  expect([asked.length, applied]).toEqual([1, []]);
  state.problem = undefined;
  await vi.advanceTimersByTimeAsync(HOUR);
  await credentials.prepare(specOf('a'), context('agents'));
  expect(asked).toHaveLength(2);
  expect(credentials.secretFor(specOf('a'))).toBe(NAME);
  expect(needed).toEqual(['a', 'b']);
});

it('tries again soon what may pass, and tells who needs it', async () => {
  const { credentials, state, applied, needed, context } = aListener();
  state.problem = new Error('no answer');
  await credentials.prepare(specOf('a'), context('agents'));
  expect(credentials.secretFor(specOf('a'))).toBeUndefined();
  state.problem = undefined;
  await vi.advanceTimersByTimeAsync(61_000);
  expect([needed, applied.length]).toEqual([['a'], 1]);

  state.isForbidden = true;
  await vi.advanceTimersByTimeAsync(HOUR / 2);
  state.isForbidden = false;
  await vi.advanceTimersByTimeAsync(61_000);
  expect(applied).toHaveLength(2);
  state.isForbidden = true;
  await expect(credentials.prepare(specOf('b'), context('others'))).rejects.toThrow('forbidden');
});
