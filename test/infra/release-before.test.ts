import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeAvailabilityZonesCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { describe, expect, it } from 'vitest';
import { type DeployedResource, settingsFromTemplates } from '../../lib/infra/remembered/from-templates.ts';
import { RELEASE_ENVIRONMENT, unpackRelease } from '../support/aws/earlier-release.ts';
import { ACCOUNT, mockedAccount } from '../support/aws/mocked-account.ts';
import { configured, synthesised } from '../support/aws/synthesised.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';

const { stacks, network, said, settled, deployed } = mockedAccount();

describe('an installation that remembers nothing yet', () => {
  const poolOf = (context: Record<string, unknown>): DeployedResource[] =>
    [...synthesised(context).stacks.values()].flatMap((resources) => Object.values(resources));

  it('has its settings in its stacks', () => {
    const numbers = { rateLimit: '5', burstLimit: '6', logRetentionDays: '7', buildSeconds: '900' };
    const limits = {
      unclaimedSeconds: '60',
      silentSeconds: '61',
      keptArtifacts: '2',
      auditDays: '3',
      keyDays: '4',
    };
    const mosts = {
      deploymentsMax: '11',
      listenersMax: '12',
      webhooksMax: '13',
      integrationsMax: '14',
      keysMax: '15',
      waitingRevisionsMax: '16',
      buildsAtOnceMax: '17',
    };
    const rest = {
      allowedHosts: 'git.corp.example',
      oidcClientId: 'console',
      oidcTokenEndpoint: 'https://id.example/token',
      compute: 'fargate',
      agentNetwork: 'nat',
      agentRole: `arn:aws:iam::${ACCOUNT}:role/bedrock`,
      tableName: 'older',
      tableStreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/older/stream/1',
      keyArn: 'arn:aws:kms:us-east-1:123456789012:key/1',
      bucketName: 'older-files',
    };
    const { environment, engineConcurrency, corsOrigins, ...texts } = configured;
    const given = { ...texts, ...numbers, ...limits, ...mosts, ...rest };
    const found = settingsFromTemplates(
      environment,
      poolOf({ ...given, environment, engineConcurrency, corsOrigins }),
    );
    expect(found.unreadable).toEqual([]);
    expect(found.given).toEqual({
      ...given,
      engineConcurrency: String(engineConcurrency),
      corsOrigins: corsOrigins.replaceAll(' ', ''),
    });
    expect(settingsFromTemplates('test', poolOf({ environment: 'test' }))).toEqual({
      given: {},
      unreadable: [],
    });
  });

  /** What the release before has deployed, with two subnets as CloudFormation would have made them. */
  async function release(environment = RELEASE_ENVIRONMENT) {
    const folder = await temporaryFolder();
    const variant = await unpackRelease(folder, 'fargate-destroy');
    const files = (await readdir(variant)).filter((name) => name.endsWith('.template.json'));
    // Templates of CloudFormation, as that release had made them.
    const read = async (name: string) =>
      (
        JSON.parse(await readFile(join(variant, name), 'utf8')) as {
          Resources: Record<string, DeployedResource>;
        }
      ).Resources;
    const nested = files.filter((name) => name.includes('.nested.'));
    const inner = Object.fromEntries(
      await Promise.all(nested.map(async (name) => [name, { resources: await read(name) }] as const)),
    );
    const [agents = ''] = nested.filter((name) => name.includes('Agents'));
    const subnets = Object.keys(inner[agents]?.resources ?? {}).filter((id) =>
      /agentsSubnet\dSubnet/.test(id),
    );
    deployed({
      ...inner,
      [agents]: {
        resources: inner[agents]?.resources ?? {},
        made: Object.fromEntries([
          ...subnets.map((id, index) => [id, ['AWS::EC2::Subnet', `subnet-${index}`]] as const),
          ['Cluster', ['AWS::ECS::Cluster', 'cluster']] as const,
        ]),
      },
      [`slipway-${environment}`]: {
        resources: await read(`slipway-${environment}.template.json`),
        made: Object.fromEntries(
          nested.map((name, index) => [`Nested${index}`, ['AWS::CloudFormation::Stack', name]]),
        ),
      },
      [`slipway-${environment}-data`]: { resources: await read(`slipway-${environment}-data.template.json`) },
    });
    network.on(DescribeSubnetsCommand, { SubnetIds: ['subnet-0', 'subnet-1'] }).resolves({
      Subnets: [
        { SubnetId: 'subnet-1', AvailabilityZone: 'us-east-1f' },
        { SubnetId: 'subnet-0', AvailabilityZone: 'us-east-1b' },
      ],
    });
  }

  it('goes on as the release before has deployed it, in the zones where its agents are', async () => {
    await release();
    const kept = { compute: 'fargate', removal: 'destroy', agentZones: 'us-east-1b,us-east-1f' };
    expect(await settled({ environment: RELEASE_ENVIRONMENT })).toEqual(kept);
    expect(said[0]).toMatch(
      /^Settings of verify-upgrade \(read from its stacks, which remember none yet\): /,
    );
    expect(network.commandCalls(DescribeAvailabilityZonesCommand)).toEqual([]);
    await expect(
      settled({ environment: RELEASE_ENVIRONMENT, agentZones: 'us-east-1a,us-east-1b' }),
    ).rejects.toThrow(/agentZones=us-east-1a,us-east-1b: agents run in a network with us-east-1b,us-east-1f/);
  });

  it('asks for what its stacks do not say in plain text', async () => {
    const [[id, stage] = ['', undefined]] = Object.entries(
      synthesised({ environment: 'prod' }).stacks.get('root') ?? {},
    ).filter(([, { Properties }]) => Properties?.StageName === '$default');
    const DefaultRouteSettings = { ThrottlingRateLimit: { Ref: 'Somewhere' } };
    const resources = {
      [id]: { Type: stage?.Type ?? '', Properties: { StageName: '$default', DefaultRouteSettings } },
    };
    deployed({ 'slipway-prod': { resources } });
    await expect(settled({})).rejects.toThrow(
      /could not be read from the stacks of 'prod'\. .* -c rateLimit=…$/,
    );
    expect(await settled({ rateLimit: '5' })).toEqual({ rateLimit: '5' });
  });

  it('is none where a first deploy has failed', async () => {
    const StackStatus = 'ROLLBACK_COMPLETE';
    stacks
      .on(DescribeStacksCommand)
      .resolves({ Stacks: [{ StackName: 'slipway-prod', StackStatus, CreationTime: new Date(0) }] });
    expect(await settled({ rateLimit: '5' })).toEqual({ rateLimit: '5' });
    expect(said[0]).toMatch(/\(a first deploy\)/);
  });
});
