import { expect, it, onTestFinished, vi } from 'vitest';
import type { DesiredResponse } from '../../../lib/features/listener-protocol/shape.ts';
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

type Row = DesiredResponse['deployments'][number];
type State = {
  isBusy: boolean;
  passedMilliseconds: number;
  computeConfig?: { k8s_namespaces: string[] };
  /** What else the row of the deployment says. */
  more?: Partial<Row>;
};

/**
 * A reconciler of one deployment that does not run, whose list never changes, with a clock that the test
 * moves.
 */
function aReconciler() {
  const state: State = { isBusy: false, passedMilliseconds: 0 };
  const configured: object[] = [];
  const etags: (string | undefined)[] = [];
  const kept: string[] = [];
  const done: string[] = [];
  const row: Row = {
    deployment_id: ID,
    revision_id: spec.revision_id,
    epoch: 1,
    held: false,
    custom_url: null,
  };
  const answerOf = ({ computeConfig, more }: State) => ({
    ...{ version: 'v1', complete: true, deployments: [{ ...row, ...more }] },
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
      remove: async (_id, epoch, data) => void done.push(`remove ${epoch} ${data}`),
      releaseThreads: (_id, revisionIds) => void done.push(`release ${revisionIds.join()}`),
      confirm: async () => undefined,
      setAddress: () => undefined,
      deploymentIds: () => [],
      runningRevision: () => undefined,
      epochOf: () => undefined,
    },
    isBusy: () => state.isBusy,
    log: createLog('error', () => undefined),
  });
  return { reconciler, state, etags, kept, configured, done, signal: end.signal };
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

it('says each time whose threads are let go, also while a task is in progress elsewhere, and when none are', async () => {
  const { reconciler, state, done, signal } = aReconciler();
  for (const more of [{ release_threads: ['r1', 'r2'], held: true }, { release_threads: ['r2'] }, {}]) {
    state.more = more;
    reconciler.request();
    await reconciler.once(signal);
  }
  expect(done).toEqual(['release r1,r2', 'release r2', 'release ']);
});

it('removes what shall run nothing, and its data at once where the row says so', async () => {
  const { reconciler, state, done, signal } = aReconciler();
  for (const more of [{ epoch: 2 }, { epoch: 3, delete_data: true }]) {
    state.more = { revision_id: null, ...more };
    reconciler.request();
    await reconciler.once(signal);
  }
  expect(done.filter((one) => one.startsWith('remove'))).toEqual([
    'remove 2 as-usual',
    'remove 3 deleted-at-once',
  ]);
});
