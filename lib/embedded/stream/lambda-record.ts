import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue, _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, AttributeValue as LambdaAttributeValue } from 'aws-lambda';

type Image = Record<string, AttributeValue>;
type LambdaImage = Record<string, LambdaAttributeValue>;

/** A stream record as Lambda passes it to a function: times in epoch seconds, binary values in base64. */
export function lambdaRecord(record: StreamRecord, streamArn: string): DynamoDBRecord {
  const { dynamodb = {}, eventName } = record;
  const { Keys, NewImage, OldImage, SequenceNumber } = dynamodb;
  if (SequenceNumber === undefined) throw new Error('A record of the stream has no sequence number');
  return {
    ...(record.eventID !== undefined && { eventID: record.eventID }),
    ...(eventName !== undefined && { eventName }),
    eventVersion: record.eventVersion ?? '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: record.awsRegion ?? 'us-east-1',
    dynamodb: {
      ...(dynamodb.ApproximateCreationDateTime !== undefined && {
        ApproximateCreationDateTime: dynamodb.ApproximateCreationDateTime.getTime() / 1000,
      }),
      ...(Keys !== undefined && { Keys: lambdaImage(Keys) }),
      ...(NewImage !== undefined && { NewImage: lambdaImage(NewImage) }),
      ...(OldImage !== undefined && { OldImage: lambdaImage(OldImage) }),
      SequenceNumber,
      SizeBytes: dynamodb.SizeBytes ?? 0,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
    eventSourceARN: streamArn,
    ...(record.userIdentity !== undefined && { userIdentity: record.userIdentity }),
  };
}

function lambdaImage(image: Image): LambdaImage {
  return Object.fromEntries(Object.entries(image).map(([name, value]) => [name, lambdaValue(value)]));
}

function lambdaValue(value: AttributeValue): LambdaAttributeValue {
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(base64) };
  if (value.L !== undefined) return { L: value.L.map(lambdaValue) };
  if (value.M !== undefined) return { M: lambdaImage(value.M) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the remaining kinds (S, N, BOOL, NULL, SS, NS) are the same on both sides
  return { ...value } as LambdaAttributeValue;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** DynamoDB emits nothing for a write that changes nothing; dynoxide does. */
export function changesNothing({ eventName, dynamodb }: DynamoDBRecord): boolean {
  return eventName === 'MODIFY' && isDeepStrictEqual(dynamodb?.NewImage, dynamodb?.OldImage);
}

/** The kind of item, which event filters look at: of the new image, else of the old. */
export function entityOf({ dynamodb }: DynamoDBRecord): string | undefined {
  return dynamodb?.NewImage?.entity?.S ?? dynamodb?.OldImage?.entity?.S;
}
