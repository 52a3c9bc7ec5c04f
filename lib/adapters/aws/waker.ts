import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { once } from '../../contract/once.ts';

/** Puts a call of the function into Lambda's own queue, which tries again when the function cannot be run. */
export function createLambdaWaker(functionName: string): { wake(event: object): Promise<void> } {
  const client = once(() => new LambdaClient({}));
  return {
    async wake(event) {
      const Payload = JSON.stringify(event);
      await client().send(
        new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }),
      );
    },
  };
}
