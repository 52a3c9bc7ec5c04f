import { expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '../../../lib/listener/log.ts';
import { Reconciler } from '../../../lib/listener/reconciler.ts';
import { until } from '../../support/until.ts';
import { plainSpec } from '../../support/world/deploy-spec.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const spec = plainSpec({
  deployment_id: ID,
  deployment_name: 'app',
  tenant_id: '00000000-0000-4000-8000-000000000003',
  revision_id: '00000000-0000-4000-8000-000000000002',
  artifact: { kind: 'image', uri: 'registry.example/app@sha256:1' },
});

type State = { isBusy: boolean; passedMilliseconds: number; computeConfig?: { k8s_namespaces: string[] } };

/**
 * A reconciler of one deployment that does not run, whose list never changes, with a clock that the test
 * moves.
 */
function aReconciler() {
  const state: State = { isBusy: false, passedMilliseconds: 0 };
  const configured: object[] = [];
  const etags: (string | undefined)[] = [];
  const kept: string[] = [];
  const row = { deployment_id: ID, revision_id: spec.revision_id, epoch: 1, held: false, custom_url: null };
  const answerOf = ({ computeConfig }: State) => ({
    ...{ version: 'v1', complete: true, deployments: [row] },
    ...(computeConfig !== undefined && { compute_config: computeConfig }),
  });
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + state.passedMilliseconds);
  const end = new AbortController();
  onTestFinished(() => {
    end.abort();
    clock.mockRestore();
  });
  const reconciler = new Reconciler({
    controlPlane: {
      desired: async (etag) => {
        etags.push(etag);
        return etag === 'v1' ? 'unchanged' : { answer: answerOf(state), etag: 'v1' };
      },
      desiredOf: async () => ({ version: 'v1', complete: false, deployments: [row] }),
      spec: async () => spec,
    },
    driver: {
      configure: (config) => void configured.push(config),
      keepRunning: ({ deployment_id }) => void kept.push(deployment_id),
      remove: async () => undefined,
      confirm: async () => undefined,
      setAddress: () => undefined,
      deploymentIds: () => [],
      runningRevision: () => undefined,
      epochOf: () => undefined,
    },
    isBusy: () => state.isBusy,
    log: createLog('error', () => undefined),
  });
  return { reconciler, state, etags, kept, configured, signal: end.signal };
}

it('looks at what it had to leave, although the list has not changed since', async () => {
  const { reconciler, state, etags, kept, signal } = aReconciler();
  state.isBusy = true;
  expect(await reconciler.once(signal)).toBe(true);
  state.isBusy = false;
  state.passedMilliseconds += 61_000;

  void reconciler.run(signal);
  await until(() => etags.length > 1, { what: 'another pass' });

  await until(() => kept.length > 0, { what: 'the deployment to run' });
  expect(kept).toEqual([ID]);
});

it('leaves the configuration of the listener as it is when an answer has none', async () => {
  const { reconciler, state, configured, signal } = aReconciler();
  state.computeConfig = { k8s_namespaces: ['agents'] };
  await reconciler.once(signal);
  delete state.computeConfig;
  reconciler.request();
  await reconciler.once(signal);
  expect(configured).toEqual([{ k8s_namespaces: ['agents'] }]);
});
