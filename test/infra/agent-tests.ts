import { describe, expect, it } from 'vitest';
import { type Resource, type Synthesised, synthesised } from '../support/aws/synthesised.ts';
import { secretTests } from './secret-tests.ts';

const context = { environment: 'test', compute: 'fargate' };
const ACCOUNT = { Ref: 'AWS::AccountId' };
const AGENT_ROLE = 'arn:aws:iam::123456789012:role/bedrock';

const balancer = (...actions: string[]) => actions.map((action) => `elasticloadbalancing:${action}`);

type Statement = { Action: string | string[]; Resource: unknown; Condition?: unknown };
type Trust = { Principal: { Service?: string }; Condition?: unknown };
type Rule = { EventPattern: unknown; Targets: { Arn: unknown }[] };

/** Where agents run in the account. Part of the file of the template: to load the CDK takes seconds. */
export function agentTests(stacksOf: () => Synthesised): void {
  const withAgents = () => synthesised(context);
  const propertiesOf = (type: string, stacks = withAgents()) =>
    stacks.all(type).map(([, { Properties }]) => Properties);

  const variablesOf = (stacks: Synthesised) => JSON.stringify(stacks.stacks.get('Agents'));

  /** What the role of the function in this place may do. */
  const permissionsOf = (place: string, stacks = withAgents()): Statement[] => {
    const [, role] = stacks.all('AWS::IAM::Role').find(([id]) => id.startsWith(place)) ?? [];
    // CloudFormation's own shape of it.
    const { Policies = [] } = (role?.Properties ?? {}) as {
      Policies?: { PolicyDocument: { Statement: Statement[] } }[];
    };
    return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  };
  const driver = (stacks = withAgents()) => permissionsOf('Agents/DriveRole', stacks);
  const actionsOf = ({ Action }: Statement): string[] => [Action].flat();
  const statementOf = (action: string, stacks = withAgents()): Statement | undefined =>
    driver(stacks).find((one) => actionsOf(one).includes(action));

  describe('without compute=fargate', () => {
    it('have no network, no balancer, no cluster and no front', () => {
      const types = [...stacksOf().stacks.values()].flatMap((resources) =>
        Object.values(resources).map(({ Type }) => Type),
      );
      expect(types.filter((type) => /::(EC2|ECS|ElasticLoadBalancingV2|CloudFront)::/.test(type))).toEqual(
        [],
      );
    });

    it('change no function, no role and no output', () => {
      const all = JSON.stringify([...stacksOf().stacks.values(), stacksOf().outputs]);
      expect(all).not.toMatch(
        /MANAGED_COMPUTE|DRIVE_FUNCTION_NAME|AGENTS_|slipway-test-(drive|ingest-output)|AgentsUrl/,
      );
    });
  });

  describe('with compute=fargate', () => {
    it('are one more nested stack; elsewhere only variables, rights to wake the driver and an alarm on it differ', () => {
      const [before, after] = [stacksOf().stacks, withAgents().stacks];
      expect([...after.keys()].filter((name) => !before.has(name))).toEqual(['Agents']);
      const [one, other] = [before.get('root'), after.get('root')].map((all) => Object.keys(all ?? {}));
      const added = other?.filter((id) => one?.includes(id) !== true && !id.includes('NestedStack'));
      expect(added?.map((id) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['Observabilitycomputedriveerrors']);
      const changed = [...before].flatMap(([name, resources]) =>
        Object.entries(resources).flatMap(([id, resource]) =>
          isSame(after.get(name)?.[id], resource) ? [] : [id.replace(/[0-9A-F]{8}$/, '')],
        ),
      );
      expect(changed.filter((id) => !id.includes('NestedStack')).toSorted()).toEqual([
        'ObservabilityDashboard',
        'TriggersdispatchFunction',
        'TriggersdispatchRole',
        'TriggerssweepFunction',
        'TriggerssweepRole',
        'createdeploymentFunction',
        'createtenantFunction',
        'getconsoleFunction',
        'getdeploymentmetricsFunction',
        'getdeploymentmetricsRole',
        'settingsParameter',
      ]);
    });

    it('have a driver that the engine and events of the cluster wake, and nobody else', () => {
      const wakers = withAgents()
        .all('AWS::IAM::Role')
        .filter(([, { Properties }]) => JSON.stringify(Properties).includes('function:slipway-test-drive'))
        .map(([id]) => id.replace(/Role.*$/, ''));
      expect(wakers).toEqual(['root/Triggersdispatch', 'root/Triggerssweep']);
      const rules = rulesOf(withAgents().stacks.get('Agents') ?? {});
      expect(rules.map(({ EventPattern }) => EventPattern)).toEqual([
        expect.objectContaining({ 'detail-type': ['ECS Task State Change'] }),
        expect.objectContaining({ 'detail-type': ['ECS Service Action'] }),
      ]);
      expect(JSON.stringify(rules)).toContain('slipway-test-agents');
      expect(new Set(rules.map(({ Targets }) => JSON.stringify(Targets[0]?.Arn))).size).toBe(1);
    });

    it('give the driver no action on everything but those that know no resource', () => {
      const wild = driver().filter(({ Resource }) => Resource === '*');
      expect(wild.flatMap(actionsOf).toSorted()).toEqual([
        'cloudwatch:DescribeAlarms',
        'ecs:DeregisterTaskDefinition',
        'ecs:ListTaskDefinitions',
        'ecs:ListTasks',
        'elasticloadbalancing:DescribeAccountLimits',
        'elasticloadbalancing:DescribeRules',
        'elasticloadbalancing:DescribeTags',
        'elasticloadbalancing:DescribeTargetGroups',
        'elasticloadbalancing:DescribeTargetHealth',
      ]);
      expect(
        driver()
          .flatMap(actionsOf)
          .filter((action) => action.includes('*')),
      ).toEqual([]);
    });

    it('let the driver hand two roles to servers, and no other to anything', () => {
      const own = statementOf('iam:PassRole');
      expect(JSON.stringify(own?.Resource)).toMatch(/role\/slipway-test-agent-start"/);
      const condition = { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } };
      expect(own?.Condition).toEqual(condition);
      const given = statementOf('iam:PassRole', synthesised({ ...context, agentRole: AGENT_ROLE }));
      expect(given?.Resource).toEqual([own?.Resource, AGENT_ROLE]);
      expect(given?.Condition).toEqual(condition);
    });

    it('let the driver change services of its cluster, rules of its listener and what carries its tag', () => {
      const place = (action: string) => JSON.stringify(statementOf(action)?.Resource);
      expect(place('ecs:DeleteService')).toMatch(/:service\/slipway-test-agents\/\*"/);
      expect(place('elasticloadbalancing:CreateRule')).toMatch(/:listener\/app\/slipway-test-agents\/\*"/);
      expect(place('elasticloadbalancing:ModifyRule')).toMatch(
        /listener-rule\/app\/slipway-test-agents\/\*"/,
      );
      expect(statementOf('elasticloadbalancing:DeleteTargetGroup')?.Condition).toEqual({
        StringEquals: { 'aws:ResourceTag/slipway:cluster': 'slipway-test-agents' },
      });
      expect(statementOf('elasticloadbalancing:CreateTargetGroup')?.Condition).toEqual({
        StringEquals: { 'aws:RequestTag/slipway:cluster': 'slipway-test-agents' },
      });
      expect(place('ecs:RegisterTaskDefinition')).toMatch(/:task-definition\/slipway_\*:\*"/);
      expect(statementOf('ecs:RegisterTaskDefinition')?.Condition).toEqual({
        StringEquals: { 'aws:RequestTag/slipway:cluster': 'slipway-test-agents' },
      });
      expect(place('secretsmanager:DeleteSecret')).toMatch(/:secret:slipway\/test\/agents\/\*"/);
    });

    it('have what servers print stored by a function that does nothing else', () => {
      const [filter, ...others] = propertiesOf('AWS::Logs::SubscriptionFilter').filter(({ LogGroupName }) =>
        JSON.stringify(LogGroupName).includes('Servers'),
      );
      expect(filter).toMatchObject({ FilterPattern: '' });
      expect(JSON.stringify(filter?.DestinationArn)).toContain('ingestoutput');
      expect(others).toEqual([]);
      const actions = permissionsOf('Agents/Outputingestoutput').flatMap(actionsOf);
      expect(actions.filter((action) => !action.startsWith('logs:'))).toEqual([
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'kms:Decrypt',
      ]);
    });

    it('let servers be reached by the balancer alone', () => {
      const rules = propertiesOf('AWS::EC2::SecurityGroupIngress');
      const toServers = rules.filter(({ FromPort }) => FromPort === 8000);
      expect(toServers).toEqual([expect.objectContaining({ ToPort: 8000 })]);
      expect(JSON.stringify(toServers)).toMatch(/"SourceSecurityGroupId":{[^}]*BalancerGroup/);
    });

    it('let what shows metrics read them, and nothing does without agents', () => {
      const reads = (stacks: Synthesised) =>
        permissionsOf('deployments/getdeploymentmetricsRole', stacks).flatMap(actionsOf);
      const added = ['cloudwatch:GetMetricData', ...balancer('DescribeTags', 'DescribeTargetGroups')];
      expect(reads(withAgents())).toEqual([...reads(stacksOf()), ...added]);
      const readers = withAgents()
        .all('AWS::IAM::Role')
        .filter((role) => JSON.stringify(role).includes('cloudwatch:GetMetricData'));
      expect(readers.map(([id]) => id)).toEqual([
        expect.stringMatching(/^deployments\/getdeploymentmetrics/),
      ]);
    });

    it('let what finds networks look, and nothing else', () => {
      expect(permissionsOf('Agents/QuestionsFindRole').flatMap(actionsOf)).toEqual([
        'logs:CreateLogStream',
        'logs:PutLogEvents',
        'ec2:DescribeInternetGateways',
        'ec2:DescribeManagedPrefixLists',
        'ec2:DescribeSecurityGroups',
        'ec2:DescribeSubnets',
      ]);
    });

    it('answer over HTTPS alone, uncached and uncompressed, at an address that is printed', () => {
      const [front] = propertiesOf('AWS::CloudFront::Distribution');
      expect(front?.DistributionConfig).toMatchObject({
        DefaultCacheBehavior: { ViewerProtocolPolicy: 'redirect-to-https', Compress: false },
      });
    });

    it('let services take a role in the name of this account alone, but Lambda, which names none', () => {
      const trusts = propertiesOf('AWS::IAM::Role').flatMap(({ AssumeRolePolicyDocument }) => {
        // CloudFormation's own shape of it.
        const { Statement } = AssumeRolePolicyDocument as { Statement: Trust[] };
        return Statement.filter(({ Principal }) => Principal.Service !== undefined);
      });
      const bound = trusts.filter(({ Principal }) => Principal.Service !== 'lambda.amazonaws.com');
      expect(bound.flatMap(({ Principal }) => Principal.Service ?? []).toSorted()).toEqual([
        'codebuild.amazonaws.com',
        'ecs-tasks.amazonaws.com',
        'states.amazonaws.com',
      ]);
      for (const { Condition } of bound)
        expect(Condition).toEqual({ StringEquals: { 'aws:SourceAccount': ACCOUNT } });
    });

    it('cannot reach past themselves by headers, in errors either', () => {
      const [policy, ...others] = propertiesOf('AWS::CloudFront::ResponseHeadersPolicy');
      expect(others).toEqual([]);
      expect(policy?.ResponseHeadersPolicyConfig).toMatchObject({
        RemoveHeadersConfig: {
          Items: [{ Header: 'clear-site-data' }, { Header: 'service-worker-allowed' }],
        },
      });
      const [front] = propertiesOf('AWS::CloudFront::Distribution');
      expect(front?.DistributionConfig).toMatchObject({
        DefaultCacheBehavior: {
          ResponseHeadersPolicyId: { Ref: expect.any(String) },
          FunctionAssociations: [{ EventType: 'viewer-request' }, { EventType: 'viewer-response' }],
        },
      });
    });

    it('run in the zones that are given', () => {
      const given = synthesised({ ...context, agentZones: 'us-east-1b,us-east-1c' });
      const zones = propertiesOf('AWS::EC2::Subnet', given).map(({ AvailabilityZone }) => AvailabilityZone);
      expect(new Set(zones)).toEqual(new Set(['us-east-1b', 'us-east-1c']));
    });

    it('pay for no NAT gateway, unless asked to', () => {
      expect(propertiesOf('AWS::EC2::NatGateway')).toEqual([]);
      const nat = synthesised({ ...context, agentNetwork: 'nat' });
      expect(propertiesOf('AWS::EC2::NatGateway', nat)).toHaveLength(1);
      const isPublic = (stacks: Synthesised) => variablesOf(stacks).match(/"AGENTS_PUBLIC_IP":"(\w+)"/)?.[1];
      expect([isPublic(withAgents()), isPublic(nat)]).toEqual(['true', 'false']);
    });
  });

  it.each([
    { agentZones: 'us-east-1b,us-east-1c' },
    { agentNetwork: 'nat' },
    { agentRole: AGENT_ROLE },
    { agentCidr: '10.9.0.0/20' },
    { agentAllowedCidrs: '203.0.113.0/24' },
    { compute: 'ec2' },
  ])('are refused where they make no sense: %o', (wrong) => {
    expect(() => synthesised({ environment: 'test', ...wrong })).toThrow(/compute/);
  });

  secretTests();
}

const rulesOf = (resources: Record<string, Resource>): Rule[] =>
  Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::Events::Rule')
    .map(({ Properties }) => Properties as unknown as Rule); // CloudFormation's own shape of it

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
