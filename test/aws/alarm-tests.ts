import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { awsEnvironment, clientConfig } from './aws-environment.ts';
import { ACCOUNT } from './installation.ts';
import type { Tour } from './tour.ts';

const QUEUE = 'alarms-heard';
const at = (service: string, name: string) =>
  `arn:aws:${service}:${awsEnvironment.AWS_REGION}:${ACCOUNT}:${name}`;

/** Lets topics send to the queue. */
const admitting = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: at('sqs', QUEUE),
    },
  ],
};

type Message = { AlarmName: string; NewStateValue: string; AlarmDescription: string };

/** What whoever follows the topic of alarms hears. */
export function alarmTests(tour: () => Tour): void {
  it('tells who follows its alarms what went wrong, with its runbook', async () => {
    const config = clientConfig(tour().ground.emulator);
    const queues = new SQSClient(config);
    const Attributes = { Policy: JSON.stringify(admitting) };
    const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName: QUEUE, Attributes }));
    const subscription = {
      TopicArn: at('sns', 'slipway-test-alarms'),
      Protocol: 'sqs',
      Endpoint: at('sqs', QUEUE),
    };
    await new SNSClient(config).send(new SubscribeCommand(subscription));
    const metric = {
      MetricName: 'NumberOfMessagesSent',
      Dimensions: [{ Name: 'QueueName', Value: 'slipway-test-stream-set-aside' }],
      Value: 1,
    };
    await new CloudWatchClient(config).send(
      new PutMetricDataCommand({ Namespace: 'AWS/SQS', MetricData: [metric] }),
    );
    const heard = await until(
      async () => {
        const asked = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
        const { Messages = [] } = await queues.send(asked);
        const told = Messages.map(({ Body = '' }) => {
          const { Message: text } = JSON.parse(Body) as { Message: string }; // as SNS wraps it
          return JSON.parse(text) as Message; // as CloudWatch writes it
        });
        return told.find(({ AlarmName }) => AlarmName === 'slipway-test-stream-set-aside');
      },
      { what: 'the message of the alarm' },
    );
    expect(heard).toMatchObject({
      NewStateValue: 'ALARM',
      AlarmDescription: expect.stringContaining('docs/operations.md#stream-set-aside'),
    });
  });
}
