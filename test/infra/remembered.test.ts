import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { describe, expect, it } from 'vitest';
import { settingsText } from '../../lib/infra/remembered/parameter.ts';
import { changed, settingsOf } from '../../lib/infra/settings.ts';
import { ACCOUNT, mockedAccount } from '../support/aws/mocked-account.ts';
import { configured, synthesised } from '../support/aws/synthesised.ts';

const { identity, parameters, stacks, network, said, settled, remember } = mockedAccount();

describe('what an installation remembers', () => {
  it('holds in a deploy that says nothing, and what one says changes it', async () => {
    remember({ compute: 'fargate', agentZones: 'us-east-1a,us-east-1b', rateLimit: '5' });
    const expected = { compute: 'fargate', agentZones: 'us-east-1a,us-east-1b', rateLimit: '7' };
    expect(await settled({})).toEqual({ ...expected, rateLimit: '5' });
    expect(await settled({ rateLimit: '7' })).toEqual(expected);
    expect(await settled({ environment: 'prod', rateLimit: 7 })).toEqual(expected);
    expect(said.at(-1)).toBe(
      'Settings of prod (remembered): agentZones=us-east-1a,us-east-1b, compute=fargate, rateLimit=7 (was 5)',
    );
    expect(network.calls()).toEqual([]);
  });

  it.each([
    [
      'compute',
      {
        rateLimit: '5',
        domainName: 'a.example',
        certificateArn: 'arn:1',
        tableName: 'older',
        tableStreamArn: 'arn:2',
      },
    ],
    [
      'domainName',
      { rateLimit: '5', compute: 'fargate', agentRole: 'arn:3', tableName: 'older', tableStreamArn: 'arn:2' },
    ],
    [
      'tableName',
      {
        rateLimit: '5',
        compute: 'fargate',
        agentRole: 'arn:3',
        domainName: 'a.example',
        certificateArn: 'arn:1',
      },
    ],
  ])('loses %s only where that is said, and what goes with it', async (name, left) => {
    remember({
      rateLimit: '5',
      compute: 'fargate',
      agentRole: 'arn:3',
      domainName: 'a.example',
      certificateArn: 'arn:1',
      tableName: 'older',
      tableStreamArn: 'arn:2',
    });
    for (const value of ['none', '']) expect(await settled({ [name]: value })).toEqual(left);
    expect(said.join('\n')).toMatch(new RegExp(`^Taken back: ${name}=.+; `, 'm'));
  });

  it('keeps what only a later release knows', async () => {
    remember({ compute: 'fargate', agentsMood: 'sunny' });
    expect(await settled({ rateLimit: '7' })).toMatchObject({ agentsMood: 'sunny' });
  });

  it('changes with both stacks only', async () => {
    remember({ rateLimit: '5' });
    const one = {
      CDK_DEFAULT_ACCOUNT: ACCOUNT,
      CDK_DEFAULT_REGION: 'us-east-1',
      SLIPWAY_CDK_COMMAND: 'deploy',
      SLIPWAY_CDK_EXCLUSIVELY: 'yes',
    };
    expect(await settled({}, one)).toEqual({ rateLimit: '5' });
    await expect(settled({ rateLimit: '6' }, one)).rejects.toThrow(
      /change of rateLimit .* without --exclusively/,
    );
    expect(await settled({ rateLimit: '6' }, { ...one, SLIPWAY_CDK_COMMAND: 'diff' })).toEqual({
      rateLimit: '6',
    });
  });

  it('is not asked for where the CDK knows no account', async () => {
    expect(await settled({ rateLimit: '7', compute: 'none' }, {})).toEqual({ rateLimit: '7' });
    expect(identity.calls()).toEqual([]);
    expect(said).toEqual([]);
  });

  it.each([
    [
      'the parameter may not be read',
      () =>
        parameters
          .on(GetParameterCommand)
          .rejects(Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' })),
    ],
    [
      'the stacks may not be read',
      () =>
        stacks
          .on(DescribeStacksCommand)
          .rejects(Object.assign(new Error('not authorized'), { name: 'AccessDenied' })),
    ],
    [
      'there are no credentials',
      () =>
        identity
          .on(GetCallerIdentityCommand)
          .rejects(new Error('Could not load credentials from any providers')),
    ],
    [
      'they are of another account',
      () => identity.on(GetCallerIdentityCommand).resolves({ Account: '210987654321' }),
    ],
    [
      'the parameter holds something else',
      () => parameters.on(GetParameterCommand).resolves({ Parameter: { Value: '{"compute": 1}' } }),
    ],
    [
      'the parameter holds no JSON',
      () => parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'compute' } }),
    ],
  ])('ends the deploy when %s', async (_, spoil) => {
    spoil();
    await expect(settled({})).rejects.toThrow(
      /^The settings of the installation 'prod' in account 123456789012, us-east-1, could not be read, so nothing is made or changed: .+\n.*--profile.*AWS_PROFILE/,
    );
  });

  it('fits a parameter, or is refused with its longest', () => {
    const corsOrigins = Array.from({ length: 200 }, (_, index) => `https://${index}.example.com`).join(',');
    expect(() => settingsText('prod', { rateLimit: '5', corsOrigins })).toThrow(
      /take \d+ bytes, and the parameter \/slipway\/prod\/settings holds 4096\. Shorten corsOrigins/,
    );
    expect(settingsText('prod', { b: '1', a: '2' })).toBe('{"a":"2","b":"1"}');
  });

  it('is a parameter of the data stack, which holds what was given', () => {
    const [, parameter] =
      synthesised(configured)
        .all('AWS::SSM::Parameter')
        .find(([id]) => id.startsWith('data/settingsParameter')) ?? [];
    const { environment, engineConcurrency, ...texts } = configured;
    expect(parameter?.Properties.Name).toBe(`/slipway/${environment}/settings`);
    expect(JSON.parse(String(parameter?.Properties.Value))).toEqual({
      ...texts,
      engineConcurrency: String(engineConcurrency),
    });
  });
});

it('every setting can be taken back without leaving one behind that goes with it', () => {
  const whole = {
    compute: 'fargate',
    agentVpcId: 'vpc-00000001',
    agentSubnets: 'subnet-00000001,subnet-00000002',
    balancerSubnets: 'subnet-00000003,subnet-00000004',
    agentsDomain: 'agents.example.com',
    agentsCertificateArn: `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/1`,
    domainName: 'slipway.example.org',
    certificateArn: 'arn:1',
    oidcIssuer: 'https://id.example',
    oidcAudience: 'slipway',
    oidcClientId: 'console',
    tableName: 'older',
    tableStreamArn: 'arn:2',
  };
  expect(settingsOf('prod', whole).compute).toBe('fargate');
  for (const name of ['compute', 'agentVpcId', 'agentsDomain', 'domainName', 'oidcIssuer', 'tableName'])
    expect(settingsOf('prod', changed(whole, { [name]: 'none' }))).toMatchObject({ [name]: undefined });
});
