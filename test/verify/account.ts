import { ApplicationAutoScalingClient } from '@aws-sdk/client-application-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { ECRClient } from '@aws-sdk/client-ecr';
import { ECSClient } from '@aws-sdk/client-ecs';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { IAMClient } from '@aws-sdk/client-iam';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

/** Logs and histories are asked for in rows of pages, which AWS takes a few of a second. */
const ATTEMPTS = 10;

/** An AWS account in one region, as the credentials of this process reach it. */
export type Account = {
  id: string;
  region: string;
  partition: string;
  /** `AWS_ENDPOINT_URL` leads elsewhere than to AWS. */
  isEmulated: boolean;
  clients: ReturnType<typeof clientsOf>;
};

function clientsOf(region: string) {
  const config = { region, maxAttempts: ATTEMPTS };
  return {
    alarms: new CloudWatchClient(config),
    balancers: new ElasticLoadBalancingV2Client(config),
    builds: new CodeBuildClient(config),
    ecs: new ECSClient(config),
    executions: new SFNClient(config),
    fronts: new CloudFrontClient(config),
    functions: new LambdaClient(config),
    keys: new KMSClient(config),
    logs: new CloudWatchLogsClient(config),
    networks: new EC2Client(config),
    objects: new S3Client(config),
    parameters: new SSMClient(config),
    queues: new SQSClient(config),
    repositories: new ECRClient(config),
    roles: new IAMClient(config),
    scaling: new ApplicationAutoScalingClient(config),
    secrets: new SecretsManagerClient(config),
    stacks: new CloudFormationClient(config),
    tables: new DynamoDBClient(config),
    topics: new SNSClient(config),
  };
}

/** Finds out whose credentials these are. Throws with what to do when there are none, or no region. */
export async function openAccount(environment: NodeJS.ProcessEnv = process.env): Promise<Account> {
  const identity = new STSClient({});
  const region = await identity.config.region().catch(() => '');
  if (region === '')
    throw new Error(
      'No AWS region is set. Set AWS_REGION, or a region in the profile that AWS_PROFILE names.',
    );
  const { Account: id, Arn: arn = '' } = await identity
    .send(new GetCallerIdentityCommand({}))
    .catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`AWS does not take your credentials (aws sts get-caller-identity): ${why}`);
    });
  identity.destroy();
  if (id === undefined) throw new Error('AWS does not say which account these credentials are of.');
  const partition = arn.split(':')[1] ?? 'aws';
  return {
    id,
    region,
    partition,
    isEmulated: environment.AWS_ENDPOINT_URL !== undefined,
    clients: clientsOf(region),
  };
}

export function closeAccount({ clients }: Account): void {
  for (const client of Object.values(clients)) client.destroy();
}

/** What a program needs of this process's environment to reach the same account. */
export function awsVariables(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const own = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[0].startsWith('AWS_') && entry[1] !== undefined,
  );
  return Object.fromEntries(own);
}
