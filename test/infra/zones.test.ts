import { DescribeAvailabilityZonesCommand } from '@aws-sdk/client-ec2';
import { describe, expect, it } from 'vitest';
import type { DeployedResource } from '../../lib/infra/remembered/from-templates.ts';
import { mockedAccount } from '../support/aws/mocked-account.ts';

const { network, settled, remember, deployed, zones } = mockedAccount();

describe('the zones of agents', () => {
  it('are two that CloudFront reaches, which a first deploy chooses by their ids', async () => {
    zones('use1-az3', 'use1-az6', 'use1-az1');
    expect(await settled({ compute: 'fargate' })).toEqual({
      compute: 'fargate',
      agentZones: 'us-east-1b,us-east-1c',
    });
    const [call] = network.commandCalls(DescribeAvailabilityZonesCommand);
    expect(call?.args[0].input).toMatchObject({ Filters: [{ Name: 'zone-type' }, { Name: 'state' }] });
  });

  it('are chosen when Fargate comes to an installation that is there', async () => {
    remember({ rateLimit: '5' });
    expect(await settled({ compute: 'fargate' })).toMatchObject({ agentZones: 'us-east-1a,us-east-1b' });
  });

  it('are not asked for without agents, nor in a network that is given', async () => {
    expect(await settled({})).toEqual({});
    const given = { compute: 'fargate', agentVpcId: 'vpc-1', agentSubnets: 'a,b', balancerSubnets: 'c,d' };
    expect(await settled(given)).toEqual(given);
    expect(network.calls()).toEqual([]);
  });

  it('are refused in words where there are no two', async () => {
    zones('use1-az3', 'use1-az6');
    await expect(settled({ compute: 'fargate' })).rejects.toThrow(
      'compute=fargate needs two zones that CloudFront reaches, and of us-east-1a (use1-az3), us-east-1b (use1-az6) there is one. Deploy in another region.',
    );
  });

  it.each([
    [
      'us-east-1a,us-east-1b',
      /us-east-1a is use1-az3, which CloudFront does not reach\. Take two of us-east-1b \(use1-az6\)/,
    ],
    ['us-east-1b,us-east-1z', /us-east-1z is no zone of this region/],
  ])('are refused on a first deploy as %s', async (agentZones, reason) => {
    zones('use1-az3', 'use1-az6', 'use1-az1');
    await expect(settled({ compute: 'fargate', agentZones })).rejects.toThrow(reason);
  });

  it('end the deploy when they cannot be asked for', async () => {
    network.on(DescribeAvailabilityZonesCommand).rejects(new Error('not authorized'));
    await expect(settled({ compute: 'fargate' })).rejects.toThrow(
      /ec2:DescribeAvailabilityZones.*not authorized/,
    );
  });

  it('may still change where agents were never deployed, and not under running ones', async () => {
    remember({ compute: 'fargate', agentZones: 'us-east-1a,us-east-1b' });
    const other = { agentZones: 'us-east-1b,us-east-1c' };
    expect(await settled(other)).toMatchObject(other);
    const Cluster: DeployedResource = { Type: 'AWS::ECS::Cluster' };
    deployed({
      'slipway-prod': { resources: { Cluster }, made: { Cluster: ['AWS::ECS::Cluster', 'cluster'] } },
    });
    await expect(settled(other)).rejects.toThrow(/agents run in a network with us-east-1a,us-east-1b/);
    await expect(settled({ agentCidr: '10.9.0.0/16' })).rejects.toThrow(
      /agentCidr=10\.9\.0\.0\/16: agents run/,
    );
    expect(await settled({ rateLimit: '5' })).toMatchObject({ rateLimit: '5' });
  });
});
