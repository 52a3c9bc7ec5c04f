import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { ComputeDriver } from '../../compute/managed.ts';
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

/** Wakes the function that drives the compute of the installation. */
export function createDriver(functionName: string): ComputeDriver {
  const waker = createLambdaWaker(functionName);
  return { wake: ({ tenantId, deploymentId }) => waker.wake({ tenantId, deploymentId }) };
}
