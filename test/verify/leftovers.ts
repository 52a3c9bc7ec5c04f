import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DeleteLogGroupCommand, paginateDescribeLogGroups } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { paginateListFunctions } from '@aws-sdk/client-lambda';
import { ListBucketsCommand } from '@aws-sdk/client-s3';
import { DeleteQueueCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { until } from '../support/until.ts';
import { absent } from './absent.ts';
import type { Account } from './account.ts';
import { frontOf, partsOf } from './fargate/parts.ts';
import { all } from './pages.ts';

/** CloudFront takes a quarter of an hour, and a stack that fails goes back as slowly. */
const REST_TIMEOUT_MS = 60 * 60_000;

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
    ...(await stacksOf(account, environment)).map(({ name }) => `stack ${name}`),
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

/**
 * Waits until nothing changes the stacks of an environment any more: who changed them may be gone, and none
 * could be deleted meanwhile, or what is made of it would stay. One under review is only planned.
 */
export async function untilStacksRest(account: Account, environment: string): Promise<void> {
  let seen: Stack[] = [];
  const isAtRest = async () => {
    seen = await stacksOf(account, environment);
    return seen.every(({ state }) => state === 'REVIEW_IN_PROGRESS' || !state.endsWith('_IN_PROGRESS'));
  };
  const what = () => `these to be at rest: ${seen.map(({ name, state }) => `${name} ${state}`).join(', ')}`;
  await until(isAtRest, { timeoutMs: REST_TIMEOUT_MS, what });
}

type Stack = { name: string; state: string };

export async function stacksOf({ clients }: Account, environment: string): Promise<Stack[]> {
  const names = [`slipway-${environment}-data`, `slipway-${environment}`];
  const found = await Promise.all(
    names.map(async (StackName) => {
      const { Stacks = [] } = await clients.stacks
        .send(new DescribeStacksCommand({ StackName }))
        .catch(absent(/does not exist/, { Stacks: [] }));
      return Stacks.map(({ StackStatus: state = '' }) => ({ name: StackName, state }));
    }),
  );
  return found.flat().filter(({ state }) => state !== 'DELETE_COMPLETE');
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
