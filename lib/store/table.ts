import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Patience } from './dynamodb/patience.ts';
import type { Condition } from './dynamodb/transact.ts';
import type { Key } from './keys/index.ts';

/** The table as every function sees it: a document client and the table's name. */
export type Table = {
  client: DynamoDBDocumentClient;
  name: string;
  /** Reads one item, strongly consistent. Absent: a request for each. */
  readOne?: (key: Key) => Promise<Record<string, unknown> | undefined>;
  /** Absent: the machine's own time and timers. */
  patience?: Patience;
  /**
   * What is left of a write's condition where a simulation leaves guards out, to see whether it notices.
   * Absent: all of it.
   */
  keeps?: (parts: NonNullable<Condition['parts']>, write: string) => NonNullable<Condition['parts']>;
};

/** Sparse index of what is due for a look by sweep: KEYS_ONLY, readable by sweep's role only. */
export const DUE_INDEX = 'due';

/** The one definition of the table, for CDK, the emulator and tests. */
export const tableDefinition = {
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'due_pk', AttributeType: 'S' },
    { AttributeName: 'due_at', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: DUE_INDEX,
      KeySchema: [
        { AttributeName: 'due_pk', KeyType: 'HASH' },
        { AttributeName: 'due_at', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
} as const satisfies Omit<CreateTableCommandInput, 'TableName'>;

/** The attribute that expires items. */
export const TTL_ATTRIBUTE = 'ttl';
