import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The table as every function sees it: a document client and the table's name. */
export type Table = { client: DynamoDBDocumentClient; name: string };

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

/** Which records of the stream a consumer is called with: every one that fits one of its filters. All of a filter's conditions must hold. */
export type StreamFilter = {
  /** What happened to the item; absent: anything. */
  on?: readonly ('INSERT' | 'MODIFY' | 'REMOVE')[];
  /** The image that the other conditions look at. */
  image: 'NewImage' | 'OldImage';
  /** The item is of one of these kinds. */
  entities?: readonly string[];
  /** It says who changed it on a request (lib/app/audit.ts). */
  audited?: true;
};

/**
 * What can give the engine something to do. Tokens and the ends of tasks are written together with one of these; what a listener says while it
 * has a task, and whatever is removed, gives it nothing.
 */
export const dispatchFilters: StreamFilter[] = [{ image: 'NewImage', entities: ['deployment', 'revision'] }];

/** What people have granted, and who may use it. */
const GRANTS = ['oauth_token', 'oauth_connection'] as const;

/** Deployments, grants and connections that come and go, statuses of revisions, and whatever a request of a person has changed. An event source has five at most. */
export const eventFilters: StreamFilter[] = [
  { on: ['INSERT'], image: 'NewImage', entities: ['deployment'] },
  { on: ['REMOVE'], image: 'OldImage', entities: ['deployment', ...GRANTS] },
  { on: ['INSERT', 'MODIFY'], image: 'NewImage', entities: ['revision', ...GRANTS] },
  { on: ['INSERT', 'MODIFY'], image: 'NewImage', audited: true },
];
