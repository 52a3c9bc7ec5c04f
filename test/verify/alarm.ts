import { SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { until } from '../support/until.ts';
import type { Account } from './account.ts';

/**
 * Sets off the alarm of records that were set aside, and waits until its message has come through the topic
 * to a queue that follows it. CloudWatch takes the alarm back by itself.
 */
export async function hearAlarm(account: Account, environment: string): Promise<void> {
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
