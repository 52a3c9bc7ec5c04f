import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { misweighed } from '../support/aws/bundle-ceilings.ts';
import { startListener } from '../support/aws/programs.ts';
import { api, ended, expectApi } from '../support/programs/program.ts';
import { say, timed } from '../support/run/progress.ts';
import { againTests, restoreTests } from './again-tests.ts';
import { alarmTests } from './alarm-tests.ts';
import { firstAgentTests, imageCliTests } from './client-tests.ts';
import { Cluster } from './cluster.ts';
import { clusterTests } from './cluster-tests.ts';
import { commandLineTests } from './command-line-tests.ts';
import { consoleTests } from './console-tests.ts';
import { deletionTests } from './deletion-tests.ts';
import { deviceLoginTests } from './device-login-tests.ts';
import { doorbellTests } from './doorbell-tests.ts';
import { emulatorGaps } from './emulator-gaps.ts';
import { Executions } from './executions.ts';
import { followerTests } from './follower-tests.ts';
import { complaintsOf, linesOf } from './function-logs.ts';
import { closeGround, enter, type Ground, openGround, register } from './installation.ts';
import { listenerTests } from './listener-tests.ts';
import { machineTests } from './machine-tests.ts';
import { takeAway } from './mutation.ts';
import { noteTests } from './note-tests.ts';
import { consentTests, oauthTests } from './oauth-tests.ts';
import { unusedPermissions } from './permissions.ts';
import { pushTests } from './push-tests.ts';
import { seldomTests } from './seldom-tests.ts';
import { templatesIn, weights } from './templates.ts';
import { FOREIGN_ID, type Tour } from './tour.ts';
import { webhookTests } from './webhook-tests.ts';

/** CloudFormation takes 500; a stack must have room for what comes. */
const STACK_RESOURCES_MAX = 400;
/** Longer than the sweep's minute. */
const SWEEP_TIMEOUT_MS = 240_000;
/** What is shown of all logs when a test fails. */
const TROUBLE = /ERROR|WARN|rror:|not authorized/;

const tour: Partial<Tour> = {};
const at = () => tour as Tour; // filled step by step; a test that fails ends the run

beforeAll(async () => {
  for (const { lacks, so } of emulatorGaps) say(`The emulator: ${lacks} ${so}`);
  const ground = await openGround();
  tour.ground = ground;
  tour.executions = new Executions(ground.emulator);
  await timed('cdk synth', () => ground.cdk.synth());
  const mutation = process.env.TEST_AWS_WITHOUT;
  if (mutation !== undefined) await takeAway(ground.cdk.outputFolder, mutation);
  await timed('cdk bootstrap', () => ground.cdk.bootstrap());
  if (mutation === undefined) await failFirst(ground);
  const printed = await timed('cdk deploy', () => ground.cdk.deploySynthesised());
  tour.slipway = await timed('slipway admin bootstrap', () => enter(ground, printed));
});

/**
 * The last thing that a first deploy makes cannot be made; what was made is taken away, and the next deploy
 * has nothing in its way.
 */
async function failFirst({ emulator, cdk }: Ground): Promise<void> {
  await emulator.failOnce('AWS::ApiGatewayV2::Stage');
  const deploying = timed('cdk deploy, which fails half way', () => cdk.deploySynthesised());
  await expect(deploying).rejects.toThrow(/Rate exceeded|ROLLBACK/);
}

afterEach(async ({ task }) => {
  say(`${task.result?.state}: ${task.name}`);
  if (task.result?.state !== 'fail') return;
  const { emulator } = at().ground;
  const lines = [...emulator.output().split('\n'), ...(await linesOf(emulator))];
  for (const line of lines.filter((each) => TROUBLE.test(each))) say(line);
});

afterAll(async () => {
  await tour.listener?.stop();
  await tour.slipway?.closeGateway();
  if (tour.ground !== undefined) expect(await closeGround(tour.ground)).toEqual([]);
});

describe('an installation on AWS', () => {
  it('fits into stacks that CloudFormation takes', async () => {
    const { ground } = at();
    for (const { name, resources } of await templatesIn(ground.cdk.outputFolder)) {
      say(`${name}: ${resources} resources`);
      expect(resources).toBeLessThanOrEqual(STACK_RESOURCES_MAX);
    }
  });

  it('has functions that start as soon as their AWS clients let them: none weighs more than its kind may', async () => {
    expect(misweighed(await weights())).toEqual([]);
  });

  it('refuses who has no key, who may not, and what is not there', async () => {
    const { slipway } = at();
    const get = async (path: string, key: string) => {
      const { status, body } = await api({ ...slipway, apiKey: key }, 'GET', path);
      return [status, body];
    };
    const path = `/v2/deployments/${FOREIGN_ID}`;
    expect(await get('/ok', '')).toEqual([200, { ok: true }]);
    expect(await get(path, 'slp_wrong')).toEqual([
      401,
      { detail: 'Invalid or missing credentials', code: 'unauthenticated' },
    ]);
    expect(await get(path, slipway.apiKey)).toEqual([
      404,
      { detail: `Deployment ID ${FOREIGN_ID} not found.`, code: 'deployment_not_found' },
    ]);
    expect(await get('/v2/nothing', slipway.apiKey)).toEqual([
      404,
      { detail: 'Not found.', code: 'path_not_found' },
    ]);
    expect(await api(slipway, 'PUT', '/v2/deployments')).toMatchObject({ status: 405 });
  });

  it('takes listeners of both kinds, whose keys open their own routes only', async () => {
    const { slipway, ground } = at();
    const k8s = {
      compute_type: 'k8s',
      compute_id: 'cluster',
      compute_config: { k8s_namespaces: ['agents'] },
    };
    const process = { compute_type: 'process', compute_id: 'machine', compute_config: {}, is_default: true };
    const registered = await register(slipway, k8s);
    const machine = await register(slipway, process);
    tour.clusterId = registered.id;
    tour.cluster = new Cluster(slipway, registered);
    tour.machine = machine;
    const dataFolder = join(ground.folder, 'listener');
    tour.listener = await startListener(ground.processes, {
      baseUrl: slipway.baseUrl,
      dataFolder,
      ...machine,
    });
    const { resources } = await expectApi<{ resources: object[] }>(
      slipway,
      'GET',
      '/v2/listeners',
      undefined,
      200,
    );
    expect(resources).toMatchObject([{ compute_id: 'machine' }, { compute_id: 'cluster' }]);
    const asListener = { ...slipway, apiKey: machine.apiKey };
    expect(await api(asListener, 'GET', '/v2/deployments')).toMatchObject({ status: 403 });
    expect(await api(asListener, 'GET', `/v2/listeners/${registered.id}/desired`)).toMatchObject({
      status: expect.toSatisfy((status) => status === 403 || status === 404),
    });
  });

  describe('tells who follows it, and', () => {
    followerTests(at);
  });

  describe('deploys to a cluster, and', () => {
    clusterTests(tour, at);
  });
  describe('deploys to a machine, and', () => {
    machineTests(at);
  });

  describe('keeps listeners and images apart, and', () => {
    listenerTests(at);
    doorbellTests(at);
  });

  describe('for clients that are there already', () => {
    imageCliTests(at);
  });
  describe('is used from a command line, and', () => {
    commandLineTests(at);
    deviceLoginTests(at);
  });
  describe('hears of pushes, and', () => {
    pushTests(at);
  });
  describe('does what is seldom asked for, and', () => {
    seldomTests(at);
  });
  describe('hears what its functions say in their logs, and', () => {
    noteTests(at);
  });
  describe('tells what happened, and', () => {
    webhookTests(at);
  });
  describe('is watched, and', () => {
    alarmTests(at);
  });
  describe('knows OAuth providers, and', () => {
    oauthTests(at);
    consentTests(at);
  });
  describe('has a console, and', () => {
    consoleTests(at);
  });
  describe('takes back what it gave, and', () => {
    deletionTests(at);
  });
  describe('for who is new', () => {
    firstAgentTests(at);
  });

  it('ends a revision whose execution was aborted', async () => {
    const { slipway, aborted } = at();
    const revision = await ended(slipway, aborted.id, aborted.latest_revision_id, SWEEP_TIMEOUT_MS);
    expect(revision.status).toBe('DEPLOY_FAILED');
  });

  it('gives its functions all the permissions that they need', async () => {
    const { ground } = at();
    expect(await complaintsOf(ground.emulator)).toEqual([]);
  });

  it('gives its functions no permission that they could do without', async () => {
    const { ground } = at();
    expect(await unusedPermissions(ground.emulator)).toEqual([]);
  });

  it('changes nothing when it is deployed again', async () => {
    const again = await timed('cdk deploy, again', () => at().ground.cdk.deploy());
    expect(again).toContain('(no changes)');
  });

  describe('stands beside what it keeps, and', () => {
    againTests(tour, at);
  });

  describe('after a loss', () => {
    restoreTests(at);
  });

  it('goes as a whole', async () => {
    const { slipway, ground, executions, listener } = at();
    await listener.stop();
    await timed('cdk destroy', () => ground.cdk.destroy());
    await expect(executions.stateMachineArn()).rejects.toThrow('There is no state machine');
    expect(await api(slipway, 'GET', '/ok')).toMatchObject({ status: 404 });
  });
});
