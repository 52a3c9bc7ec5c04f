import { join } from 'node:path';
import { DescribeSubnetsCommand, EC2Client, type Subnet } from '@aws-sdk/client-ec2';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cdk, outputOf } from '../support/aws/cdk.ts';
import { RELEASE_ENVIRONMENT, unpackRelease } from '../support/aws/earlier-release.ts';
import { run } from '../support/programs/python-tools.ts';
import { timed } from '../support/run/progress.ts';
import { awsEnvironment, clientConfig } from './aws-environment.ts';
import { root } from './emulator.ts';
import { ACCOUNT, closeGround, type Ground, openGround, variablesOf } from './installation.ts';

let ground: Ground;
let network: EC2Client;
let parameters: SSMClient;

beforeAll(async () => {
  ground = await openGround();
  network = new EC2Client(clientConfig(ground.emulator));
  parameters = new SSMClient(clientConfig(ground.emulator));
});

afterAll(async () => {
  network.destroy();
  parameters.destroy();
  expect(await closeGround(ground)).toEqual([]);
});

/** The CDK as whoever upgrades calls it: with no setting but the environment. */
const cdkOf = (outputFolder: string, context: Record<string, string> = {}): Cdk => {
  const { emulator, folder, processes } = ground;
  return new Cdk(processes, {
    context: { environment: RELEASE_ENVIRONMENT, ...context },
    account: ACCOUNT,
    region: awsEnvironment.AWS_REGION,
    variables: { ...variablesOf(emulator), HOME: folder, TMPDIR: folder },
    outputFolder,
  });
};

/** Subnets of agents and of the balancer, with the zone of each. */
async function subnets(): Promise<string[]> {
  const { Subnets = [] } = await network.send(new DescribeSubnetsCommand({}));
  const ours = ({ CidrBlock = '' }: Subnet) => CidrBlock.startsWith('10.42.');
  return Subnets.filter(ours)
    .map(({ SubnetId, AvailabilityZone }) => `${SubnetId} ${AvailabilityZone}`)
    .sort();
}

async function remembered(): Promise<unknown> {
  const Name = `/slipway/${RELEASE_ENVIRONMENT}/settings`;
  const { Parameter } = await parameters.send(new GetParameterCommand({ Name }));
  return JSON.parse(Parameter?.Value ?? '');
}

describe('an installation of the release before, with agents on Fargate', () => {
  let before: { url: string; table: string; subnets: string[] };

  beforeAll(async () => {
    const release = cdkOf(await unpackRelease(join(ground.folder, 'release'), 'fargate-destroy'));
    await timed('cdk bootstrap', () => release.bootstrap());
    const printed = await timed('cdk deploy of 39e5ef8', () => release.deploySynthesised());
    before = {
      url: outputOf(printed, 'AgentsUrl'),
      table: outputOf(printed, 'TableName'),
      subnets: await subnets(),
    };
    expect(before.subnets).toHaveLength(4);
  });

  it('is upgraded without a setting, and has Fargate, its network and its zones as they were', async () => {
    const cdk = cdkOf(join(ground.folder, 'cdk.out'));
    const printed = await timed('cdk deploy, without a setting', () => cdk.deploy());
    expect(outputOf(printed, 'AgentsUrl')).toBe(before.url);
    expect(outputOf(printed, 'TableName')).toBe(before.table);
    expect(await subnets()).toEqual(before.subnets);
    expect(printed).toMatch(/Settings of verify-upgrade \(read from its stacks.*compute=fargate/);
    // What a deploy looks for first.
    expect(printed).toMatch(/ok +the CDK's bootstrap +version 6 +version \d+/);
    expect(printed).toMatch(/LOW +an address for alarms/);
    const zones = before.subnets.map((text) => text.split(' ')[1]);
    expect(await remembered()).toEqual({
      agentZones: [...new Set(zones)].toSorted((a = '', b = '') => a.localeCompare(b)).join(','),
      compute: 'fargate',
      removal: 'destroy',
    });
  });

  it('remembers, and shows what it remembers', async () => {
    const cdk = cdkOf(join(ground.folder, 'cdk.out'));
    const printed = await timed('cdk deploy -c rateLimit=50', () => cdk.deploy({ rateLimit: '50' }));
    expect(printed).toMatch(/Settings of verify-upgrade \(remembered\): .*rateLimit=50 \(was its default\)/);
    expect(outputOf(printed, 'AgentsUrl')).toBe(before.url);
    const shown = await run(
      ground.processes,
      process.execPath,
      [join(root, 'bin/slipway.ts'), 'settings', '--environment', RELEASE_ENVIRONMENT, '--json'],
      { environment: { ...variablesOf(ground.emulator), HOME: ground.folder } },
    );
    expect(JSON.parse(shown)).toEqual(await remembered());
    expect(await remembered()).toMatchObject({ compute: 'fargate', rateLimit: '50' });
  });

  it('is not touched by who may not read what it remembers', async () => {
    const cdk = new Cdk(ground.processes, {
      context: { environment: RELEASE_ENVIRONMENT },
      account: ACCOUNT,
      region: awsEnvironment.AWS_REGION,
      variables: {
        ...variablesOf(ground.emulator),
        HOME: ground.folder,
        AWS_ENDPOINT_URL_SSM: 'http://127.0.0.1:9',
      },
      outputFolder: join(ground.folder, 'refused.out'),
    });
    await expect(cdk.deploy()).rejects.toThrow(/could not be read, so nothing is made or changed/);
  });
});
