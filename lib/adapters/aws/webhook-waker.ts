import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { once } from '../../contract/once.ts';
import type { WebhookWaker } from '../webhook-waker.ts';

/** Puts a call of the function into Lambda's own queue, which tries again when the function cannot be run. */
export function createLambdaWaker(functionName: string): WebhookWaker {
  const client = once(() => new LambdaClient({}));
  return {
    async wake(wake) {
      const Payload = JSON.stringify(wake);
      await client().send(
        new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }),
      );
    },
  };
}
