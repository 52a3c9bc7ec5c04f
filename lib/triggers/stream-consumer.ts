import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { once } from '../contract/once.ts';
import type { StreamedKey } from '../core/engine/dispatch.ts';
import type { EngineDeps } from '../core/engine/load.ts';
import { errorFacts, logger } from '../http/logger.ts';

type Consume = (
  deps: EngineDeps,
  changed: StreamedKey[],
  onError: (error: unknown, deploymentId: string) => void,
) => Promise<string[]>;

/** Makes a stream function of a consumer: keys only, failures reported record by record. */
export function streamConsumer(name: string, consume: Consume) {
  return (deps: () => EngineDeps) => {
    const kept = once(deps);
    return async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
      const onError = (error: unknown, deploymentId: string): void =>
        logger().error(`${name} failed`, { deployment_id: deploymentId, ...errorFacts(error) });
      const failed = await consume(kept(), changedItems(event), onError);
      return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
    };
  };
}

function changedItems({ Records }: DynamoDBStreamEvent): StreamedKey[] {
  return Records.flatMap(({ dynamodb }) => {
    const pk = dynamodb?.Keys?.pk?.S;
    const sk = dynamodb?.Keys?.sk?.S;
    const sequenceNumber = dynamodb?.SequenceNumber;
    return pk === undefined || sk === undefined || sequenceNumber === undefined
      ? []
      : [{ pk, sk, sequenceNumber }];
  });
}
