import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import { DescribeAvailabilityZonesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach } from 'vitest';
import type { DeployedResource } from '../../../lib/infra/remembered/from-templates.ts';
import { settle } from '../../../lib/infra/remembered/settle.ts';
import type { Given } from '../../../lib/infra/settings.ts';

export const ACCOUNT = '123456789012';

/** What CloudFormation knows of a stack: the resources of its template, and what it has made of them. */
type Deployed = {
  resources: Record<string, DeployedResource>;
  made?: Record<string, [type: string, id: string]>;
};

/**
 * An account that a deploy asks, for the tests of a file: nothing is deployed or remembered there before each
 * of them.
 */
export function mockedAccount() {
  const identity = mockClient(STSClient);
  const parameters = mockClient(SSMClient);
  const stacks = mockStacks();
  const network = mockClient(EC2Client);
  const mocks = [identity, parameters, stacks, network];
  const said: string[] = [];

  const zones = (...ids: string[]) =>
    network.on(DescribeAvailabilityZonesCommand).resolves({
      AvailabilityZones: ids.map((ZoneId, index) => ({ ZoneId, ZoneName: `us-east-1${'abcdef'[index]}` })),
    });

  beforeEach(() => {
    said.length = 0;
    for (const mock of mocks) mock.reset();
    identity.on(GetCallerIdentityCommand).resolves({ Account: ACCOUNT });
    parameters.on(GetParameterCommand).rejects(new ParameterNotFound({ message: 'none', $metadata: {} }));
    stacks.on(DescribeStacksCommand).rejects(absent());
    zones('use1-az1', 'use1-az2', 'use1-az4');
  });
  afterAll(() => {
    for (const mock of mocks) mock.restore();
  });

  return {
    identity,
    parameters,
    stacks,
    network,
    /** What a deploy has printed. */
    said,
    /** Gives the region these zones, as us-east-1a and so on. */
    zones,
    /** The settings that hold for a deploy with this context. */
    settled: (context: Record<string, unknown>, environment: NodeJS.ProcessEnv = variables): Promise<Given> =>
      settle(
        (name) => context[name],
        environment,
        (line) => void said.push(line),
      ),
    remember: (given: Record<string, string>) =>
      parameters
        .on(GetParameterCommand, { Name: '/slipway/prod/settings' })
        .resolves({ Parameter: { Value: JSON.stringify(given) } }),
    /** Has the account hold these stacks, by name. */
    deployed: (of: Record<string, Deployed>) => {
      for (const [name, stack] of Object.entries(of)) hold(stacks, name, stack);
    },
  };
}

const variables = { CDK_DEFAULT_ACCOUNT: ACCOUNT, CDK_DEFAULT_REGION: 'us-east-1' };

/** As CloudFormation says it. */
const absent = () =>
  Object.assign(new Error('Stack with id slipway-prod does not exist'), { name: 'ValidationError' });

const mockStacks = () => mockClient(CloudFormationClient);

function hold(
  stacks: ReturnType<typeof mockStacks>,
  StackName: string,
  { resources, made = {} }: Deployed,
): void {
  stacks.on(DescribeStacksCommand, { StackName }).resolves({
    Stacks: [{ StackName, StackStatus: 'UPDATE_COMPLETE', CreationTime: new Date(0) }],
  });
  stacks.on(GetTemplateCommand, { StackName, TemplateStage: 'Original' }).resolves({
    TemplateBody: JSON.stringify({ Resources: resources }),
  });
  stacks.on(ListStackResourcesCommand, { StackName }).resolves({
    StackResourceSummaries: Object.entries(made).map(
      ([LogicalResourceId, [ResourceType, PhysicalResourceId]]) => ({
        LogicalResourceId,
        ResourceType,
        PhysicalResourceId,
        LastUpdatedTimestamp: new Date(0),
        ResourceStatus: 'CREATE_COMPLETE' as const,
      }),
    ),
  });
}
