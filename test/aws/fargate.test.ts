import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DeleteServiceCommand } from '@aws-sdk/client-ecs';
import { DeleteRuleCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { agentValue } from '../../lib/contract/agent-front.ts';
import { outputOf } from '../support/aws/cdk.ts';
import {
  create,
  deploymentOf,
  ended,
  expectApi,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { say, timed } from '../support/run/progress.ts';
import { until } from '../support/until.ts';
import { type ImageProgram, root } from './emulator.ts';
import { type Balancer, CLUSTER, FargateAccount } from './fargate-account.ts';
import { complaintsOf, linesOf } from './function-logs.ts';
import { closeGround, type Deployed, enter, type Ground, openGround } from './installation.ts';
import { unusedPermissions } from './permissions.ts';
import { type Push, pushImage } from './registry.ts';
import { COMMIT } from './tour.ts';

/** A deploy is looked at every minute at least, and health takes two answers. */
const DEPLOY_TIMEOUT_MS = 240_000;
const REPOSITORY = 'ssh://git@git.example.com/team/agent.git';
/** What the installation gives to every agent. */
const ITEM = 'slipway-agents';
const TROUBLE = /ERROR|WARN|rror:|not authorized/;
const REQUESTS_A_SECOND = 20;
/** Who may reach the balancer. */
const ENTRANCES = [
  'CloudFront-VPCOrigins-Service-SG',
  'a subnet of the balancer',
  'a subnet of the balancer',
  'com.amazonaws.global.cloudfront.origin-facing',
];
/** Of a line of a log. */
const LINE_MAX = 600;

let ground: Ground;
let slipway: Deployed;
let account: FargateAccount;
let balancer: Balancer;
let agentsUrl: string;
let agent: ShownDeployment;
const NAME = 'agent';

beforeAll(async () => {
  ground = await openGround({ compute: 'fargate', agentSecrets: ITEM });
  await timed('cdk bootstrap', async () => {
    await ground.cdk.synth();
    return ground.cdk.bootstrap();
  });
  const printed = await timed('cdk deploy', () => ground.cdk.deploySynthesised());
  agentsUrl = outputOf(printed, 'AgentsUrl');
  slipway = await enter(ground, printed);
  account = new FargateAccount(ground.emulator);
  await account.store(
    ITEM,
    JSON.stringify({ GREETING: 'not this', GREETING_OF_ALL: 'a secret of all agents' }),
  );
  balancer = await account.openBalancer();
});

afterEach(async ({ task }) => {
  say(`${task.result?.state}: ${task.name}`);
  if (task.result?.state !== 'fail') return;
  for (const { message } of task.result.errors ?? []) say(message);
  const lines = [...ground.emulator.output().split('\n'), ...(await linesOf(ground.emulator))];
  for (const line of lines.filter((each) => TROUBLE.test(each)).slice(-30)) say(line.slice(0, LINE_MAX));
});

afterAll(async () => {
  account?.close();
  await balancer?.close();
  await slipway?.closeGateway();
  if (ground !== undefined) expect(await closeGround(ground)).toEqual([]);
});

/** What a server of this version does: see agent-server.ts. */
const program = (version: string): ImageProgram => ({ args: [`${root}test/aws/agent-server.ts`, version] });

/** Ends the build that a revision waits for with an image that is this. */
async function build(image: ImageProgram): Promise<void> {
  const started = await slipway.builds.take();
  const { push } = (await slipway.builds.takeJob(started)) as { push: Push }; // see build-job.ts
  const ARTIFACT_DIGEST = await pushImage(ground.emulator, push, undefined, randomUUID());
  await ground.emulator.setImage(ARTIFACT_DIGEST, image);
  await slipway.builds.succeed(started, { ARTIFACT_DIGEST, ARTIFACT_SERVER: 'other', COMMIT_SHA: COMMIT });
}

const change = (version: string): Promise<ShownDeployment> =>
  patch(slipway, agent.id, { source_revision_config: { repo_ref: version } });

async function deploys(revisionId: string): Promise<void> {
  const { status, status_message: said } = await ended(slipway, agent.id, revisionId, DEPLOY_TIMEOUT_MS);
  expect({ status, said }).toEqual({ status: 'DEPLOYED', said: null });
}

type Said = { version: string; url: string; secret: string; common: string; headers: Record<string, string> };
const nameOf = () => agentValue({ tenantId: slipway.tenantId, name: NAME });
const hear = async (path = '/'): Promise<Said> =>
  (await balancer.ask(nameOf(), path)).json() as Promise<Said>;

const waits = { timeoutMs: DEPLOY_TIMEOUT_MS };

describe('an installation that runs agents on Fargate', () => {
  it('lets CloudFront alone reach the balancer, and no agent past it', async () => {
    expect(await account.entrances()).toEqual(ENTRANCES);
  });

  it('takes a repository to an agent that answers behind the balancer', async () => {
    const secrets = [{ name: 'GREETING', value: 'a secret of the agent' }];
    const source_config = {
      repo_url: REPOSITORY,
      drain_seconds: 30,
      resource_spec: { min_scale: 1, max_scale: 2 },
    };
    agent = await create(slipway, NAME, REPOSITORY, { source_config, secrets });
    await build(program('one'));
    await deploys(agent.latest_revision_id);
    const said = await hear('/threads/1');
    expect(said).toMatchObject({
      version: 'one',
      url: '/threads/1',
      secret: 'a secret of the agent',
      common: 'a secret of all agents',
    });
    const shown = await deploymentOf(slipway, agent.id);
    expect(shown).toMatchObject({
      status: 'READY',
      active_revision_id: agent.latest_revision_id,
      source_config: { custom_url: `${agentsUrl}/d/${nameOf()}` },
    });
    expect(JSON.stringify(await account.services())).not.toContain('a secret of the agent');
  });

  it('shows in the deploy log what the server says, without its secrets', async () => {
    const path = `/v2/deployments/${agent.id}/revisions/${agent.latest_revision_id}/logs?type=deploy`;
    const read = async () => JSON.stringify(await expectApi(slipway, 'GET', path, undefined, 200));
    await until(async () => (await read()).includes('listening: one, with ***'), {
      ...waits,
      what: 'its line',
    });
    await until(async () => (await read()).includes('all agents have ***'), { ...waits, what: 'its line' });
    expect(await read()).not.toMatch(/a secret of (?:the agent|all agents)/);
    expect(await read()).toContain('The installation gives these servers GREETING_OF_ALL (agentSecrets).');
  });

  it('answers every request while one revision replaces another, and lets a stream end', async () => {
    const { latest_revision_id: second } = await change('two');
    await build(program('two'));
    const failures: string[] = [];
    const versions: string[] = [];
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        void balancer.ask(nameOf()).then(
          async (answer) => {
            if (answer.status === 200) versions.push(((await answer.json()) as Said).version);
            else failures.push(`${answer.status} ${await answer.text()}`);
          },
          (error: unknown) => failures.push(String(error)),
        );
        await delay(1000 / REQUESTS_A_SECOND);
      }
    })();
    const streams: Promise<string>[] = [];
    const streaming = (async () => {
      while (!isOver) {
        streams.push(balancer.ask(nameOf(), '/stream').then((answer) => answer.text()));
        await delay(1000);
      }
    })();
    await deploys(second);
    await until(() => versions.at(-1) === 'two', { ...waits, what: 'the new revision to answer' });
    await delay(2000);
    isOver = true;
    await Promise.all([asking, streaming]);
    const ends = await Promise.all(streams);
    say(`${versions.length} requests, ${failures.length} failed; ${ends.length} streams`);
    expect(failures).toEqual([]);
    expect(ends.filter((text) => !text.endsWith('end\n'))).toEqual([]);
    expect(new Set(versions)).toEqual(new Set(['one', 'two']));
  });

  it('goes back to an earlier revision without a build', async () => {
    const builds = await slipway.builds.count();
    const path = `/v2/deployments/${agent.id}/revisions/${agent.latest_revision_id}/redeploy`;
    const back = await expectApi<ShownDeployment>(slipway, 'POST', path, undefined, 200);
    await deploys(back.latest_revision_id);
    expect(await hear()).toMatchObject({ version: 'one' });
    expect(await slipway.builds.count()).toBe(builds);
  });

  // In the words of Fargate's agent.
  const cannotPull = (why: string): ImageProgram => ({ refused: why });
  it.each<[string, ImageProgram, RegExp]>([
    ['exits', program('exits'), /in a loop: \d+ times so far, last with code 3[^]+no graph in this image/],
    ['is not there', cannotPull('failed to resolve ref IMAGE: IMAGE: not found'), /is not in its registry/],
    [
      'is for another platform',
      cannotPull("image Manifest does not contain descriptor matching platform 'linux/amd64'"),
      /would run on linux\/amd64\. Build it for linux\/amd64/,
    ],
    [
      'is not handed out',
      cannotPull('pull access denied for IMAGE, repository does not exist or may require authorization'),
      /does not hand out the image/,
    ],
    ['cannot be reached', cannotPull('dial tcp 10.0.0.1:443: i/o timeout'), /has no way out to the internet/],
  ])('keeps what serves when the image of the next revision %s, and says so', async (how, image, reason) => {
    const { latest_revision_id: next } = await change(how.replaceAll(' ', '-'));
    await build(image);
    const { status, status_message } = await ended(slipway, agent.id, next, DEPLOY_TIMEOUT_MS);
    say(`${status}: ${status_message}`);
    expect({ status, status_message }).toEqual({
      status: 'DEPLOY_FAILED',
      status_message: expect.stringMatching(reason),
    });
    expect(await hear()).toMatchObject({ version: 'one' });
  });

  it('says what a revision waits for, and keeps what serves when it is interrupted', async () => {
    const { latest_revision_id: next } = await change('sick');
    await build(program('sick'));
    const path = `/v2/deployments/${agent.id}/revisions/${next}`;
    const isSaid = async () => {
      const log = await expectApi(slipway, 'GET', `${path}/logs?type=deploy`, undefined, 200);
      return JSON.stringify(log).includes('GET /ok answers 500 instead of 200');
    };
    await until(isSaid, { ...waits, what: 'the reason in the deploy log' });
    await expectApi(slipway, 'POST', `${path}/interrupt`, undefined, 200);
    expect((await ended(slipway, agent.id, next)).status).toBe('INTERRUPTED');
    expect(await hear()).toMatchObject({ version: 'one' });
    const isAlone = async () => (await account.services()).length === 1;
    await until(isAlone, { ...waits, what: 'the interrupted set to go' });
  });

  it('brings back what somebody has deleted by hand', async () => {
    const [service] = await account.services();
    const rules = await account.rules();
    for (const { RuleArn } of rules.filter((rule) => JSON.stringify(rule).includes(nameOf())))
      await account.elb.send(new DeleteRuleCommand({ RuleArn }));
    const gone = new DeleteServiceCommand({ cluster: CLUSTER, service: service?.serviceName, force: true });
    await account.ecs.send(gone);
    const answers = async () => (await balancer.ask(nameOf())).status === 200;
    await until(answers, { ...waits, what: 'the agent to answer again' });
  });

  it('leaves nothing of a deployment that was deleted', async () => {
    await expectApi(slipway, 'DELETE', `/v2/deployments/${agent.id}`, undefined, 204);
    const nothing = {
      services: [],
      rules: [],
      targetGroups: [],
      taskDefinitions: [],
      secrets: [ITEM],
      scalers: [],
    };
    let left: object = {};
    const isGone = async () => {
      left = await account.left();
      return isDeepStrictEqual(left, nothing);
    };
    await until(isGone, { ...waits, what: () => `these to go: ${JSON.stringify(left)}` });
    expect((await balancer.ask(nameOf())).status).toBe(404);
  });

  it('gives the driver all the permissions that it needs, and none that it could do without', async () => {
    expect(await complaintsOf(ground.emulator)).toEqual([]);
    const unused = await unusedPermissions(ground.emulator);
    expect(unused.filter((each) => /^(drive|ingest-output|find-network) /.test(each))).toEqual([]);
  });

  it('is destroyed in an order that CloudFront takes', async () => {
    const printed = await timed('cdk destroy', () => ground.cdk.destroyApplication());
    expect(printed).toContain('slipway-test: destroyed');
  });

  it('runs in a network that was there before', async () => {
    const { id, subnets } = await account.makeNetwork();
    const agentSubnets = subnets.slice(0, 2).join(',');
    const balancerSubnets = subnets.slice(2).join(',');
    // The zones of the network before are remembered.
    const settings = { agentVpcId: id, agentSubnets, balancerSubnets, agentZones: '' };
    const printed = await timed('cdk deploy', () => ground.cdk.deploy(settings));
    expect(outputOf(printed, 'AgentsNetwork')).toBe(id);
    expect(outputOf(printed, 'AgentsSubnets')).toBe(agentSubnets);
    expect(await account.entrances()).toEqual(ENTRANCES);
  });
});
