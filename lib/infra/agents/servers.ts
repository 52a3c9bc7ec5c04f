import { RemovalPolicy } from 'aws-cdk-lib';
import { CfnCluster } from 'aws-cdk-lib/aws-ecs';
import { PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { pullActions } from '../../contract/images/actions.ts';
import { ownService } from '../own-service.ts';
import type { Platform } from '../platform.ts';
import { agentLogGroupName, agentsName, executionRoleName } from './names.ts';

/** The cluster that servers run in, what starts them, and where they write. */
export class Servers extends Construct {
  readonly cluster: CfnCluster;
  readonly executionRole: Role;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, { settings, arns }: Platform) {
    super(scope, id);
    const { dockerHubSecret } = settings;
    this.logGroup = new LogGroup(this, 'Log', {
      logGroupName: agentLogGroupName(settings),
      retention: settings.logRetentionDays as RetentionDays, // as for the functions' own logs
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.cluster = new CfnCluster(this, 'Cluster', { clusterName: agentsName(settings) });
    const statements = [
      new PolicyStatement({ actions: [...pullActions], resources: [arns.repositories] }),
      // The token of a registry is for all of it; the statement above says what its holder may fetch.
      new PolicyStatement({ actions: ['ecr:GetAuthorizationToken'], resources: ['*'] }),
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [arns.agents.logStreams],
      }),
      new PolicyStatement({
        actions: ['secretsmanager:GetSecretValue'],
        resources: [
          arns.agents.secrets,
          ...arns.agents.sharedVariables,
          ...(dockerHubSecret ? [dockerHubSecret] : []),
        ],
      }),
    ];
    this.executionRole = new Role(this, 'StartRole', {
      roleName: executionRoleName(settings),
      description: 'Slipway: fetches an image and its secrets, and writes what a server prints',
      assumedBy: ownService(this, 'ecs-tasks.amazonaws.com'),
      inlinePolicies: { start: new PolicyDocument({ statements }) },
    });
  }
}
