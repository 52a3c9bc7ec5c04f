import { DeleteServiceCommand } from '@aws-sdk/client-ecs';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { api, expectApi, patch, revisionOf, type ShownDeployment } from '../support/programs/program.ts';
import { say, timed } from '../support/run/progress.ts';
import { until } from '../support/until.ts';
import { clientConfig } from './aws-environment.ts';
import { root } from './emulator.ts';
import { CLUSTER, FargateAccount } from './fargate-account.ts';
import { DENIED, linesOf } from './function-logs.ts';
import { closeGround, type Deployed, enter, type Ground, openGround } from './installation.ts';
import { usablePermissions } from './permissions.ts';

// Takes the permissions of the driver away one at a time, while a deployment lives through all that it may
// meet: each has to be missed.

const DRIVER = 'slipway-test-drive';
const imageOf = (version: string): string => `registry.example.com/agent:${version}`;

let ground: Ground;
let slipway: Deployed;
let account: FargateAccount;
let lambda: LambdaClient;

beforeAll(async () => {
  ground = await openGround({ compute: 'fargate' });
  await ground.cdk.synth();
  await ground.cdk.bootstrap();
  slipway = await enter(ground, await timed('cdk deploy', () => ground.cdk.deploySynthesised()));
  account = new FargateAccount(ground.emulator);
  lambda = new LambdaClient(clientConfig(ground.emulator));
  for (const version of ['one', 'two', 'exits'])
    await ground.emulator.setImage(imageOf(version), {
      args: [`${root}test/aws/agent-server.ts`, version],
    });
});

afterAll(async () => {
  account?.close();
  lambda?.destroy();
  await slipway?.closeGateway();
  if (ground !== undefined) expect(await closeGround(ground)).toEqual([]);
});

const WAKE_MS = 10_000;

/** As sweep does it, each minute. */
async function wake(deploymentId: string): Promise<void> {
  const Payload = JSON.stringify({ tenantId: slipway.tenantId, deploymentId });
  await lambda.send(new InvokeCommand({ FunctionName: DRIVER, InvocationType: 'Event', Payload }));
}

const isGone = async (id: string): Promise<boolean> =>
  (await api(slipway, 'GET', `/v2/deployments/${id}`)).status === 404;

/** What a deployment meets, a revision after the other; each gives the deployment as it then is. */
const steps: Record<string, (deployment: ShownDeployment) => Promise<ShownDeployment>> = {
  update: ({ id }) => patch(slipway, id, { source_revision_config: { image_uri: imageOf('two') } }),
  rollback: async ({ id }) => {
    const path = `/v2/deployments/${id}/revisions`;
    const { resources } = await expectApi<{ resources: { id: string }[] }>(
      slipway,
      'GET',
      path,
      undefined,
      200,
    );
    const back = `${path}/${resources.at(-1)?.id}/redeploy`;
    return expectApi<ShownDeployment>(slipway, 'POST', back, undefined, 200);
  },
  failure: ({ id }) => patch(slipway, id, { source_revision_config: { image_uri: imageOf('exits') } }),
};

/** As if somebody had deleted it by hand. */
async function loseService(): Promise<void> {
  const [service] = await account.services();
  const gone = new DeleteServiceCommand({ cluster: CLUSTER, service: service?.serviceName, force: true });
  await account.ecs.send(gone);
}

const isServed = async (): Promise<boolean> =>
  (await account.services()).some(({ status, runningCount }) => status === 'ACTIVE' && runningCount === 1);

/** As which each ends with all permissions. */
const endOf = (step: string): string => (step === 'failure' ? 'DEPLOY_FAILED' : 'DEPLOYED');

/**
 * Gives the step in which the driver was denied something, or that ended otherwise than it would have;
 * undefined: nothing was missed.
 */
async function missedIn(name: string, startedAt: number): Promise<string | undefined> {
  const isDenied = async () =>
    (await linesOf(ground.emulator, startedAt)).some((line) => line.includes('drive') && DENIED.test(line));
  let shown = await expectApi<ShownDeployment>(
    slipway,
    'POST',
    '/v2/deployments',
    {
      name,
      source: 'external_docker',
      source_config: { drain_seconds: 5, resource_spec: { min_scale: 1, max_scale: 2 } },
      source_revision_config: { image_uri: imageOf('one') },
      secrets: [{ name: 'GREETING', value: 'hello' }],
    },
    201,
  );
  const { id } = shown;
  const rests = async (isOver: () => Promise<boolean>) =>
    until(async () => ((await isDenied()) ? 'denied' : (await isOver()) && 'over'), {
      what: `${name} to rest`,
    });
  const status = async () => (await revisionOf(slipway, id, shown.latest_revision_id)).status;
  const isMissedIn = async (step: string): Promise<boolean> => {
    const end = await rests(async () => isTerminal(await status()));
    return end === 'denied' || (await status()) !== endOf(step);
  };
  try {
    if (await isMissedIn('creation')) return 'creation';
    await loseService();
    if ((await rests(isServed)) === 'denied') return 'repair';
    for (const [step, take] of Object.entries(steps)) {
      shown = await take(shown);
      if (await isMissedIn(step)) return step;
    }
    await expectApi(slipway, 'DELETE', `/v2/deployments/${id}`, undefined, 204);
    return (await rests(() => isGone(id))) === 'denied' ? 'deletion' : undefined;
  } finally {
    await ground.emulator.deny(undefined);
    await clear(id);
  }
}

/** Deletes what is left of it, so that the next one begins with nothing. */
async function clear(id: string): Promise<void> {
  if (!(await isGone(id))) await api(slipway, 'DELETE', `/v2/deployments/${id}`);
  let wokenAt = 0;
  const isClear = async () => {
    const left = Object.values(await account.left()).flat();
    if (left.length === 0 && (await isGone(id))) return true;
    // Sooner, and each driver would take the task from the one before it has done anything.
    if (Date.now() - wokenAt < WAKE_MS) return false;
    wokenAt = Date.now();
    await wake(id);
    return false;
  };
  await until(isClear, { firstMs: 2_000, timeoutMs: 600_000, what: `${id} to leave nothing` });
}

it('each permission that the driver has is missed when it is taken away', async () => {
  // With all of them nothing is missed; the emulator knows then what is granted.
  expect(await missedIn('agent', Date.now())).toBeUndefined();
  const unnoticed: string[] = [];
  const tried = await usablePermissions(ground.emulator, 'drive');
  for (const [index, action] of tried.entries()) {
    const startedAt = Date.now();
    await ground.emulator.deny({ function: DRIVER, action });
    const step = await missedIn(`agent-${index}`, startedAt);
    say(step === undefined ? `UNNOTICED  without ${action}` : `noticed    without ${action}: ${step}`);
    if (step === undefined) unnoticed.push(action);
  }
  expect(tried.length).toBeGreaterThan(0);
  say(`${tried.length - unnoticed.length} of ${tried.length} noticed`);
  expect(unnoticed).toEqual([]);
}, 3_600_000);
