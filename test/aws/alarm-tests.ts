import { expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { awsCall, awsEnvironment, awsForm } from './aws-call.ts';
import { ACCOUNT } from './cdk.ts';
import type { Tour } from './tour.ts';

const TIMEOUT_MS = 60_000;
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
    const { endpoint } = tour().ground.emulator;
    const sqs = <T>(operation: string, input: object) =>
      awsCall<T>({ endpoint, service: 'sqs', target: `AmazonSQS.${operation}`, input });
    const Attributes = { Policy: JSON.stringify(admitting) };
    const { QueueUrl } = await sqs<{ QueueUrl: string }>('CreateQueue', { QueueName: QUEUE, Attributes });
    const subscription = {
      TopicArn: at('sns', 'slipway-test-alarms'),
      Protocol: 'sqs',
      Endpoint: at('sqs', QUEUE),
    };
    await awsForm(endpoint, 'sns', { Action: 'Subscribe', Version: '2010-03-31', ...subscription });
    const input = {
      Namespace: 'AWS/SQS',
      MetricData: [
        {
          MetricName: 'NumberOfMessagesSent',
          Dimensions: [{ Name: 'QueueName', Value: 'slipway-test-stream-set-aside' }],
          Value: 1,
        },
      ],
    };
    await awsCall({
      endpoint,
      service: 'monitoring',
      target: 'GraniteServiceVersion20100801.PutMetricData',
      input,
    });
    const heard = await until(
      async () => {
        const { Messages = [] } = await sqs<{ Messages?: { Body: string }[] }>('ReceiveMessage', {
          QueueUrl,
          MaxNumberOfMessages: 10,
        });
        const told = Messages.map(({ Body }) => {
          const { Message: text } = JSON.parse(Body) as { Message: string }; // as SNS wraps it
          return JSON.parse(text) as Message; // as CloudWatch writes it
        });
        return told.find(({ AlarmName }) => AlarmName === 'slipway-test-stream-set-aside');
      },
      { timeoutMs: TIMEOUT_MS, what: 'the message of the alarm' },
    );
    expect(heard).toMatchObject({
      NewStateValue: 'ALARM',
      AlarmDescription: expect.stringContaining('docs/operations.md#stream-set-aside'),
    });
  });
}
