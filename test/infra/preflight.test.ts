import { CloudFrontClient, ListDistributionsCommand } from '@aws-sdk/client-cloudfront';
import { DescribeVpcsCommand } from '@aws-sdk/client-ec2';
import {
  CreateServiceLinkedRoleCommand,
  GetRoleCommand,
  IAMClient,
  InvalidInputException,
  NoSuchEntityException,
} from '@aws-sdk/client-iam';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  GetAWSDefaultServiceQuotaCommand,
  GetServiceQuotaCommand,
  ListServiceQuotasCommand,
  NoSuchResourceException,
  ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import { GetParameterCommand, ParameterNotFound } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Check } from '../../lib/infra/preflight/check.ts';
import { checkDeploy } from '../../lib/infra/preflight/deploy.ts';
import { preflight } from '../../lib/infra/preflight/preflight.ts';
import { settingsOf } from '../../lib/infra/settings.ts';
import { ACCOUNT as ID, mockedAccount } from '../support/aws/mocked-account.ts';

const account = { id: ID, region: 'us-east-1' };
const fargate = { compute: 'fargate' };
const { identity, parameters, stacks, network, deployed, zones } = mockedAccount();
const [roles, lambda] = [mockClient(IAMClient), mockClient(LambdaClient)];
const [quotas, fronts] = [mockClient(ServiceQuotasClient), mockClient(CloudFrontClient)];
const added = [roles, lambda, quotas, fronts];
/** Each answers all questions alike; the library types their commands apart. */
const mocks: { onAnyCommand(): { rejects(error: Error): unknown }; calls(): readonly unknown[] }[] = [
  ...added,
  parameters,
  stacks,
  network,
];
const $metadata = {};
const denied = () => Object.assign(new Error('User is not authorized'), { name: 'AccessDeniedException' });

const fargateQuota = { ServiceCode: 'fargate', QuotaCode: 'L-3032A538' };
const vpcQuota = { ServiceCode: 'vpc', QuotaCode: 'L-F678F1CE' };
const buildsAtOnce = (Value: number, machine = 'Linux/Small') =>
  quotas.on(ListServiceQuotasCommand, { ServiceCode: 'codebuild' }).resolves({
    Quotas: [{ QuotaName: `Concurrently running builds for ${machine} environment`, Value }],
  });
const vpcs = (count: number) =>
  network.on(DescribeVpcsCommand).resolves({ Vpcs: Array.from({ length: count }, () => ({})) });

/** An account that has everything. */
beforeEach(() => {
  for (const mock of added) mock.reset();
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: '30' } });
  lambda.on(GetAccountSettingsCommand).resolves({
    AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000 },
  });
  buildsAtOnce(60);
  quotas.on(GetServiceQuotaCommand, fargateQuota).resolves({ Quota: { Value: 100 } });
  quotas.on(GetServiceQuotaCommand, vpcQuota).resolves({ Quota: { Value: 5 } });
  vpcs(1);
  roles.on(GetRoleCommand).resolves({});
  fronts.on(ListDistributionsCommand).resolves({ DistributionList: { Quantity: 1 } as never }); // no more of it is read
});
afterAll(() => {
  for (const mock of added) mock.restore();
});

const asked = async (given: Record<string, string>, make = false): Promise<Check[]> =>
  preflight(account, settingsOf('prod', { alarmEmail: 'a@example.com', ...given }), make);
/** The one line of the table that begins so. */
const lineOf = async (
  what: string,
  given: Record<string, string> = fargate,
  make = false,
): Promise<Check> => {
  const [check, ...others] = (await asked(given, make)).filter((each) => each.what.startsWith(what));
  if (check === undefined || others.length > 0) throw new Error(`There is not one line of ${what}`);
  return check;
};

describe('what a deploy needs of an account', () => {
  it('is there in one that has everything, and less is asked where agents run elsewhere', async () => {
    expect((await asked(fargate)).filter(({ state }) => state !== 'ok')).toEqual([]);
    const plain = await asked({});
    expect(plain.map(({ what }) => what)).toEqual([
      'account and region',
      "the CDK's bootstrap",
      'Lambda, concurrent executions',
      'CodeBuild, builds at once (Linux/Small)',
      'an address for alarms',
    ]);
    expect(plain[0]?.there).toBe(`${ID} us-east-1`);
  });

  it('is unknown, and ends nothing, where it may not be asked', async () => {
    for (const mock of mocks) mock.onAnyCommand().rejects(denied());
    const checks = await asked(fargate, true);
    const [first, ...rest] = checks.filter(({ what }) => what !== 'an address for alarms');
    expect(first?.state).toBe('ok');
    expect(rest.length).toBeGreaterThan(8);
    for (const check of rest)
      expect(check).toMatchObject({
        state: 'unknown',
        advice: 'AccessDeniedException: User is not authorized',
      });
  });

  it('is the bootstrap of the CDK, of a version', async () => {
    parameters.on(GetParameterCommand).rejects(new ParameterNotFound({ message: '', $metadata }));
    const advice = expect.stringContaining('npm run cdk -- bootstrap');
    expect(await lineOf("the CDK's")).toMatchObject({ state: 'lack', there: 'none', advice });
    parameters.on(GetParameterCommand).resolves({ Parameter: { Value: '5' } });
    expect(await lineOf("the CDK's")).toMatchObject({ state: 'lack', there: 'version 5', advice });
  });

  it.each([
    [0, 'lack', /nothing can be built: raise 'Concurrently running builds for Linux\/Small environment'/],
    [1, 'low', /more builds wait/],
  ])('is builds at once: %i are too few', async (value, state, advice) => {
    buildsAtOnce(value);
    expect(await lineOf('CodeBuild')).toMatchObject({
      state,
      there: String(value),
      advice: expect.stringMatching(advice),
    });
  });

  it('is builds at once on the machines that the settings name', async () => {
    buildsAtOnce(10, 'Linux/Large');
    expect(await lineOf('CodeBuild', { buildCompute: 'large' })).toMatchObject({ state: 'ok', there: '10' });
    expect(await lineOf('CodeBuild', {})).toMatchObject({ state: 'unknown' });
  });

  it('is processors for agents, of which AWS knows a default where the account has no own number', async () => {
    quotas
      .on(GetServiceQuotaCommand, fargateQuota)
      .rejects(new NoSuchResourceException({ message: '', $metadata }))
      .on(GetAWSDefaultServiceQuotaCommand, fargateQuota)
      .resolves({ Quota: { Value: 6 } });
    expect(await lineOf('Fargate')).toMatchObject({
      state: 'low',
      there: '6',
      advice: expect.stringContaining('12 servers'),
    });
    quotas.on(GetServiceQuotaCommand, fargateQuota).resolves({ Quota: { Value: 0 } });
    expect(await lineOf('Fargate')).toMatchObject({
      state: 'lack',
      advice: expect.stringContaining('no agent can start'),
    });
  });

  it('is one more network, unless there is one already', async () => {
    vpcs(5);
    expect(await lineOf('VPCs')).toMatchObject({
      state: 'lack',
      there: '5 of 5 in use',
      advice: expect.stringMatching(/VPCs per Region.*agentVpcId/),
    });
    const given = {
      agentVpcId: 'vpc-0123456789abcdef0',
      agentSubnets: 'subnet-0123456789abcde1f,subnet-0123456789abcde2f',
      balancerSubnets: 'subnet-0123456789abcde3f,subnet-0123456789abcde4f',
    };
    expect(await lineOf('VPCs', { ...fargate, ...given })).toMatchObject({
      state: 'ok',
      there: 'vpc-0123456789abcdef0',
    });
    const cluster: [string, string] = ['AWS::ECS::Cluster', 'cluster'];
    deployed({ 'slipway-prod': { resources: {}, made: { Cluster: cluster } } });
    expect(await lineOf('VPCs')).toMatchObject({ state: 'ok', there: 'has its own' });
  });

  it('is two zones that CloudFront reaches', async () => {
    expect(await lineOf('zones')).toMatchObject({ state: 'ok', there: 'us-east-1a us-east-1b us-east-1c' });
    zones('use1-az3');
    expect(await lineOf('zones')).toMatchObject({
      state: 'lack',
      there: '0',
      advice: expect.stringContaining('another region'),
    });
  });

  it('is zones that CloudFront reaches also where agents are already, though nothing moves them', async () => {
    const cluster: [string, string] = ['AWS::ECS::Cluster', 'cluster'];
    deployed({ 'slipway-prod': { resources: {}, made: { Cluster: cluster } } });
    const there = { ...fargate, agentZones: 'us-east-1a,us-east-1b' };
    expect(await lineOf('zones', there)).toMatchObject({ state: 'ok', there: 'us-east-1a us-east-1b' });
    zones('use1-az3', 'use1-az6');
    expect(await lineOf('zones', there)).toMatchObject({
      state: 'low',
      advice: expect.stringMatching(/does not reach us-east-1a \(use1-az3\), .* 504/),
    });
  });

  it('is an account that CloudFront knows, which nothing but a distribution shows', async () => {
    fronts.on(ListDistributionsCommand).resolves({ DistributionList: { Quantity: 0 } as never }); // likewise
    expect(await lineOf('CloudFront')).toMatchObject({
      state: 'low',
      advice: expect.stringMatching(/must be verified.*AWS Support/),
    });
  });

  it('is somebody who hears of alarms', async () => {
    const [check] = (await preflight(account, settingsOf('prod', {}), false)).slice(-1);
    expect(check).toMatchObject({ state: 'low', advice: expect.stringContaining('-c alarmEmail=') });
  });
});

describe('roles of AWS', () => {
  const VPC_ORIGINS = 'AWSServiceRoleForCloudFrontVPCOrigin';
  const services = () =>
    roles.commandCalls(CreateServiceLinkedRoleCommand).map(({ args }) => args[0].input.AWSServiceName);

  beforeEach(() => {
    roles.on(GetRoleCommand).rejects(new NoSuchEntityException({ message: '', $metadata }));
    roles.on(CreateServiceLinkedRoleCommand).resolves({});
  });

  it('are made by a deploy where they are not there, and only then', async () => {
    expect(await lineOf(VPC_ORIGINS)).toMatchObject({
      state: 'low',
      advice: expect.stringMatching(/a deploy makes it/),
    });
    expect(services()).toEqual([]);
    expect(await lineOf(VPC_ORIGINS, fargate, true)).toMatchObject({ state: 'ok', there: 'made' });
    expect(services()).toEqual([
      'ecs.amazonaws.com',
      'elasticloadbalancing.amazonaws.com',
      'ecs.application-autoscaling.amazonaws.com',
      'vpcorigin.cloudfront.amazonaws.com',
    ]);
  });

  it('are there when somebody else has just made them', async () => {
    const message = `Service role name ${VPC_ORIGINS} has been taken in this account, please try a different suffix.`;
    roles.on(CreateServiceLinkedRoleCommand).rejects(new InvalidInputException({ message, $metadata }));
    expect(await lineOf(VPC_ORIGINS, fargate, true)).toMatchObject({ state: 'ok' });
  });

  it('that may not be made are said with the command, and end no deploy', async () => {
    roles.on(CreateServiceLinkedRoleCommand).rejects(denied());
    expect(await lineOf(VPC_ORIGINS, fargate, true)).toMatchObject({
      state: 'low',
      advice: expect.stringMatching(
        /AccessDeniedException.*iam:CreateServiceLinkedRole.*--aws-service-name vpcorigin\.cloudfront\.amazonaws\.com$/,
      ),
    });
  });
});

describe('a deploy', () => {
  const environment = {
    CDK_DEFAULT_ACCOUNT: ID,
    CDK_DEFAULT_REGION: 'us-east-1',
    SLIPWAY_CDK_COMMAND: 'deploy',
  };
  const deploy = async (given: Record<string, string>, variables: NodeJS.ProcessEnv = environment) => {
    const said: string[] = [];
    await checkDeploy('prod', given, variables, (line) => void said.push(line)).catch((error: unknown) => {
      said.push(`ended: ${error instanceof Error ? error.message : String(error)}`);
    });
    return said;
  };

  it('prints what there is and what is needed as a table', async () => {
    buildsAtOnce(1);
    expect(await deploy({})).toEqual([
      '     In the account                           Needed                     There',
      `ok   account and region                       those of your credentials  ${ID} us-east-1`,
      "ok   the CDK's bootstrap                      version 6                  version 30",
      'ok   Lambda, concurrent executions            100                        1000',
      'LOW  CodeBuild, builds at once (Linux/Small)  1, better 5                1',
      'LOW  an address for alarms                    alarmEmail                 none',
      expect.stringMatching(/^- CodeBuild, builds at once \(Linux\/Small\): raise .* more builds wait$/),
      expect.stringMatching(/^- an address for alarms: nobody hears of alarms/),
    ]);
  });

  it('ends before anything is made where something is missing', async () => {
    vpcs(5);
    expect((await deploy(fargate)).at(-1)).toMatch(
      /^ended: Nothing was deployed: the account lacks .*\(VPCs of the region\).*SLIPWAY_PREFLIGHT=off/,
    );
    expect(await deploy({})).not.toContainEqual(expect.stringContaining('ended'));
  });

  it.each([
    ['synth', { ...environment, SLIPWAY_CDK_COMMAND: 'synth' }],
    ['destroy', { ...environment, SLIPWAY_CDK_COMMAND: 'destroy' }],
    ['a deploy without an account', { SLIPWAY_CDK_COMMAND: 'deploy' }],
    ['a deploy that wants none', { ...environment, SLIPWAY_PREFLIGHT: 'off' }],
  ])('is all that is checked: %s asks nothing', async (_, variables) => {
    expect(await deploy(fargate, variables)).toEqual([]);
    expect([...mocks, identity].flatMap((mock) => [...mock.calls()])).toEqual([]);
  });
});
