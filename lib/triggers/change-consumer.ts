import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { once } from '../contract/once.ts';
import type { ChangeRecord } from '../core/events/changed-item.ts';
import { errorFacts, logger } from '../http/logger.ts';
import type { Image } from '../store/stream-images.ts';

type Consume<D> = (
  deps: D,
  records: ChangeRecord[],
  onError: (error: unknown, pk: string) => void,
) => Promise<string[]>;

/**
 * Makes a stream function of a consumer that reads what items were and are; failures are reported record by
 * record.
 */
export function changeConsumer<D>(name: string, newConsumer: () => Consume<D>) {
  return (deps: () => D) => {
    const kept = once(deps);
    const consume = newConsumer();
    return async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
      const onError = (error: unknown, pk: string): void =>
        logger().error(`${name} failed`, { partition: pk, ...errorFacts(error) });
      const failed = await consume(kept(), changeRecords(event), onError);
      return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
    };
  };
}

function changeRecords({ Records }: DynamoDBStreamEvent): ChangeRecord[] {
  return Records.flatMap(({ dynamodb }) => {
    const pk = dynamodb?.Keys?.pk?.S;
    const sequenceNumber = dynamodb?.SequenceNumber;
    if (pk === undefined || sequenceNumber === undefined) return [];
    const at = timeOf(dynamodb?.ApproximateCreationDateTime ?? 0);
    return [
      { pk, sequenceNumber, before: imageOf(dynamodb?.OldImage), after: imageOf(dynamodb?.NewImage), at },
    ];
  });
}

/** Epoch seconds; in a record that somebody has read from the stream to deliver it by hand, a text. */
const timeOf = (created: number | string): number =>
  typeof created === 'number' ? created * 1000 : Date.parse(created);

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the values, only binary ones have another type there, and nothing here reads them
const imageOf = (image: NonNullable<DynamoDBRecord['dynamodb']>['NewImage']) => image as Image | undefined;
