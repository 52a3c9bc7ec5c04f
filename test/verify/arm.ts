import type { ClaimResponse, DeployTask, ListenerTask } from '../../lib/features/listener-protocol/shape.ts';
import { api, expectApi, type Installation } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { makeDeployment, serverIn, uploadFolder } from './deployments.ts';
import { adminIn, type Environment } from './environment.ts';

const PLATFORM = 'linux/arm64';
/** A build may wait for a machine; what nobody can build has failed by then. */
const BUILD_TIMEOUT_MS = 40 * 60_000;

type Slipway = Installation & { tableName: string };
type DeleteTask = Extract<ListenerTask, { kind: 'DELETE' }>;

/**
 * Has a folder built for linux/arm64, as for a listener on such a machine, which is played here: it fetches
 * what was built, and runs nothing. Throws unless that is handed to it.
 */
export async function buildForArm(environment: Environment, slipway: Slipway): Promise<void> {
  const listener = await registerArm(environment, slipway);
  const id = await makeDeployment(slipway, 'on-arm', { source_config: { listener_id: listener.id } });
  await uploadFolder(slipway, id, await serverIn(environment, 'arm'));
  const task = await listener.take((one): one is DeployTask => one.kind === 'DEPLOY');
  if (task.artifact.kind !== 'folder') throw new Error(`An ${task.artifact.kind} was built, not a folder`);
  const { status } = await fetch(task.artifact.url);
  if (status !== 200) throw new Error(`What was built for ${PLATFORM} cannot be fetched: ${status}`);
  await listener.complete(task);
  await expectApi(slipway, 'DELETE', `/v2/deployments/${id}`, undefined, 204);
  await listener.complete(await listener.take((one): one is DeleteTask => one.kind === 'DELETE'));
  const isGone = async () => (await api(slipway, 'GET', `/v2/deployments/${id}`)).status === 404;
  await until(isGone, { what: `deployment ${id} to be gone` });
  await expectApi(slipway, 'DELETE', `/v2/listeners/${listener.id}`, undefined, 204);
}

type Played = {
  id: string;
  /** Asks for work until there is some that the check takes. */
  take<T extends ListenerTask>(isIt: (task: ListenerTask) => task is T): Promise<T>;
  complete(task: ListenerTask): Promise<void>;
};

async function registerArm(environment: Environment, slipway: Slipway): Promise<Played> {
  const body = { compute_type: 'process', compute_id: 'arm', compute_config: {} };
  const { id } = await expectApi<{ id: string }>(slipway, 'POST', '/v2/listeners', body, 201);
  const where = ['--tenant-id', slipway.tenantId, '--listener-id', id];
  const { api_key: apiKey = '' } = await adminIn(environment, slipway.tableName)(
    'create-listener-key',
    ...where,
  );
  const post = <T>(path: string, what: object) =>
    expectApi<T>({ ...slipway, apiKey }, 'POST', `/v2/listeners/${id}${path}`, what, 200);
  const claim = () => post<ClaimResponse>('/tasks/claim', { instance_id: 'arm', platform: PLATFORM, max: 1 });
  // From now on the control plane knows what this machine is.
  await claim();
  return {
    id,
    take: (isIt) =>
      until(async () => (await claim()).tasks.find(isIt), {
        timeoutMs: BUILD_TIMEOUT_MS,
        firstMs: CLAIM_MS,
        what: `a task of the listener for ${PLATFORM}`,
      }),
    complete: async ({ task_id, lease_id }) => {
      await post(`/tasks/${task_id}/complete`, { lease_id, outcome: 'succeeded' });
    },
  };
}

/** Listeners ask every few seconds. */
const CLAIM_MS = 2_000;
