import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DeleteLogGroupCommand, paginateDescribeLogGroups } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { paginateListFunctions } from '@aws-sdk/client-lambda';
import { ListBucketsCommand } from '@aws-sdk/client-s3';
import { DeleteQueueCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { absent } from './absent.ts';
import type { Account } from './account.ts';
import { frontOf, partsOf } from './fargate/parts.ts';
import { all } from './pages.ts';

/**
 * Deletes what belongs to no stack: the queue that a run listens with, and log groups that Lambda makes for
 * the functions of the CDK, which outlive them.
 */
export async function deleteOutsideStacks(account: Account, environment: string): Promise<void> {
  const { queues, logs } = account.clients;
  for (const QueueUrl of await queuesOf(account, environment))
    await queues.send(new DeleteQueueCommand({ QueueUrl }));
  for (const logGroupName of await logGroupsOf(account, environment))
    await logs.send(new DeleteLogGroupCommand({ logGroupName }));
}

/** What of an environment is still in the account, in words. Nothing should be. */
export async function leftoversOf(
  account: Account,
  environment: string,
  tableName?: string,
): Promise<string[]> {
  const table = tableName === undefined ? [] : await tableNamed(account, tableName);
  return [
    ...(await stacksOf(account, environment)).map((name) => `stack ${name}`),
    ...(await functionsOf(account, environment)).map((name) => `function ${name}`),
    ...(await bucketsOf(account, environment)).map((name) => `bucket ${name}`),
    ...(await queuesOf(account, environment)).map((url) => `queue ${url}`),
    ...(await logGroupsOf(account, environment)).map((name) => `log group ${name}`),
    ...table.map((name) => `table ${name}`),
    ...Object.entries(await partsOf(account, environment)).flatMap(([kind, names]) =>
      names.map((name) => `${kind}: ${name}`),
    ),
    ...(await frontOf(account, environment)),
  ];
}

async function stacksOf({ clients }: Account, environment: string): Promise<string[]> {
  const names = [`slipway-${environment}-data`, `slipway-${environment}`];
  const found = await Promise.all(
    names.map(async (StackName) => {
      const { Stacks = [] } = await clients.stacks
        .send(new DescribeStacksCommand({ StackName }))
        .catch(absent(/does not exist/, { Stacks: [] }));
      return Stacks.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE').map(() => StackName);
    }),
  );
  return found.flat();
}

async function functionsOf({ clients }: Account, environment: string): Promise<string[]> {
  const pages = paginateListFunctions({ client: clients.functions }, {});
  const found = await all(pages, ({ Functions }) => Functions);
  return found
    .map(({ FunctionName = '' }) => FunctionName)
    .filter((name) => name.startsWith(`slipway-${environment}-`));
}

/** CloudFormation names a bucket after its stack. */
async function bucketsOf({ clients }: Account, environment: string): Promise<string[]> {
  const { Buckets = [] } = await clients.objects.send(new ListBucketsCommand({}));
  return Buckets.map(({ Name = '' }) => Name).filter((name) => name.startsWith(`slipway-${environment}-`));
}

async function queuesOf({ clients }: Account, environment: string): Promise<string[]> {
  const asked = new ListQueuesCommand({ QueueNamePrefix: `slipway-${environment}-` });
  return (await clients.queues.send(asked)).QueueUrls ?? [];
}

async function logGroupsOf({ clients }: Account, environment: string): Promise<string[]> {
  const prefixes = [`/slipway/${environment}/`, `/aws/lambda/slipway-${environment}-`];
  const found = await Promise.all(
    prefixes.map((logGroupNamePrefix) =>
      all(
        paginateDescribeLogGroups({ client: clients.logs }, { logGroupNamePrefix }),
        (page) => page.logGroups,
      ),
    ),
  );
  return found.flat().map(({ logGroupName = '' }) => logGroupName);
}

async function tableNamed({ clients }: Account, TableName: string): Promise<string[]> {
  const { Table } = await clients.tables
    .send(new DescribeTableCommand({ TableName }))
    .catch(absent(/not found|ResourceNotFound/i, { Table: undefined }));
  return Table === undefined ? [] : [TableName];
}
