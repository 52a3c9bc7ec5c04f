import { SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Installation } from '../support/programs/program.ts';
import type { Units } from '../support/table/consumed.ts';
import { until } from '../support/until.ts';
import type { Account } from './account.ts';
import { type Counted, countOf, unitsOf } from './counts.ts';
import { deployRepository } from './deployments.ts';
import type { Api, Environment } from './environment.ts';
import type { Secret } from './langgraph.ts';
import type { Compute } from './options.ts';
import type { Report } from './report.ts';
import type { StreamWish } from './switch.ts';

/** Twice what a route without a key lets through at once, by default. */
const REQUESTS = 80;
const WAVES_MAX = 3;
/** 503 is Lambda's own limit, which new accounts meet first. */
const EXPECTED = [200, 429, 503];

/**
 * Sends requests without a key, many at once, until some are refused for that, and gives how many were.
 * Throws when one has another answer, or when all are let through.
 */
async function refusedByThrottle(baseUrl: string): Promise<number> {
  for (let wave = 0; wave < WAVES_MAX; wave += 1) {
    const statuses = await Promise.all(Array.from({ length: REQUESTS }, () => statusOf(`${baseUrl}/ok`)));
    const strange = statuses.filter((status) => !EXPECTED.includes(status));
    if (strange.length > 0) throw new Error(`GET /ok was answered with ${[...new Set(strange)].join(', ')}`);
    const refused = statuses.filter((status) => status === 429).length;
    if (refused > 0) return refused;
  }
  throw new Error(`GET /ok was never refused, though ${REQUESTS} came at once, ${WAVES_MAX} times`);
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}

/**
 * Sets off the alarm of records that were set aside, and waits until its message has come through the topic
 * to a queue that follows it. CloudWatch takes the alarm back by itself.
 */
async function hearAlarm(account: Account, environment: string): Promise<void> {
  const { id, region, partition, clients } = account;
  const place = `${region}:${id}:slipway-${environment}`;
  const TopicArn = `arn:${partition}:sns:${place}-alarms`;
  const queueArn = `arn:${partition}:sqs:${place}-alarms-heard`;
  const QueueUrl = await makeQueue(clients.queues, `slipway-${environment}-alarms-heard`, queueArn, TopicArn);
  await clients.topics.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: queueArn }));
  const AlarmName = `slipway-${environment}-stream-set-aside`;
  const StateReason = 'Slipway is being verified: nothing is wrong.';
  await clients.alarms.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason }));
  const heard = await until(
    async () => {
      const asked = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 });
      const { Messages = [] } = await clients.queues.send(asked);
      return Messages.map(({ Body = '' }) => Body).find((body) => body.includes(AlarmName));
    },
    { what: `the message of the alarm ${AlarmName} in the queue` },
  );
  if (!heard.includes('docs/operations.md#stream-set-aside'))
    throw new Error(`The message of the alarm does not name its runbook: ${heard}`);
}

/** A queue that this topic alone may send to. */
async function makeQueue(
  client: SQSClient,
  QueueName: string,
  queueArn: string,
  topicArn: string,
): Promise<string> {
  const statement = {
    Effect: 'Allow',
    Principal: { Service: 'sns.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queueArn,
    Condition: { ArnEquals: { 'aws:SourceArn': topicArn } },
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes: { Policy } }));
  if (QueueUrl === undefined) throw new Error(`SQS gave no address for the queue ${QueueName}`);
  return QueueUrl;
}

export type Repository = { url: string; ref: string };

/** What the steps share. `counted` grows as they go on, for who prints it when one has failed. */
export type Run = {
  environment: Environment;
  report: Report;
  repository: Repository | undefined;
  compute: Compute | undefined;
  /** Secrets of agent projects. */
  secrets: Secret[];
  stream: StreamWish;
  counted: Counted[];
  /** What the table has consumed. */
  units?: Units;
  tableName?: string;
  /** The environment that an earlier release is deployed to, once that has begun. */
  upgraded?: Environment;
};

/** What operators and strangers see of an installation. */
export async function isWatched(
  { environment, report }: Run,
  { baseUrl }: Pick<Api, 'baseUrl'>,
): Promise<void> {
  const { account, name } = environment;
  await report.step('an alarm reaches a queue', () => hearAlarm(account, name));
  report.notSee('that the metrics of AWS set an alarm off: its state was set by hand');
  if (account.isEmulated) report.notSee('throttling: an emulator lets everything through');
  else
    await report.step('too many requests are refused', async () => void (await refusedByThrottle(baseUrl)));
}

/** Builds the repository that was given, if any. `placing`: where its deployment runs, and with what. */
export async function useRepository(
  { report, repository }: Run,
  slipway: Installation,
  placing: Parameters<typeof deployRepository>[2],
): Promise<void> {
  if (repository === undefined) {
    report.notSee('a build of a git repository, and of its submodules: none was given with --repo');
    return;
  }
  const { hasSubmodules } = await report.step(`build ${repository.url}`, () =>
    deployRepository(slipway, repository, placing),
  );
  if (!hasSubmodules)
    report.notSee('a repository with a submodule: that of --repo has none, or nothing was built');
}

/** Before it goes with its stack. What was counted before is not counted again. */
export async function count({ environment, counted }: Run, of: Environment = environment): Promise<void> {
  const since = counted.reduce((newest, { at }) => Math.max(newest, at + 1), 0);
  counted.push(...(await countOf(of.account, of.name, since)));
}

export async function countUnits(run: Run, tableName: string): Promise<void> {
  const { environment, report } = run;
  const units = await unitsOf(environment.account, tableName, [report.startedAt, Date.now()]);
  if (units.writes > 0) run.units = units;
  else report.notSee('what the table consumed: CloudWatch has no figures of it');
}
