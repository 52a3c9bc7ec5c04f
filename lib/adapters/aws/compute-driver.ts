import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { ComputeDriver } from '../../compute/managed.ts';

/** Wakes the driver's function. Lambda keeps the call until it was made, and makes it again when it fails. */
export function createDriver(functionName: string): ComputeDriver {
  const lambda = new LambdaClient({});
  return {
    async wake({ tenantId, deploymentId }) {
      const Payload = JSON.stringify({ tenantId, deploymentId });
      await lambda.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }));
    },
  };
}
