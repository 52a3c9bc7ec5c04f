import { DatabaseSync } from 'node:sqlite';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { TTL_ATTRIBUTE, tableDefinition } from '../../store/table.ts';

/** dynoxide answers CREATING and is ready at once; another endpoint may need its time. */
const TABLE_TIMEOUT_SECONDS = 60;

/**
 * Creates the table of this name from the one definition, unless it is there, and sets its time to live.
 * Gives the address of its stream.
 */
export async function ensureTable(client: DynamoDBClient, tableName: string): Promise<{ streamArn: string }> {
  try {
    await createTable(client, tableName);
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitUntilTableExists(
    { client, maxWaitTime: TABLE_TIMEOUT_SECONDS, minDelay: 1, maxDelay: 1 },
    { TableName: tableName },
  );
  await ensureTimeToLive(client, tableName);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  if (Table?.LatestStreamArn === undefined) throw new Error(`Table ${tableName} has no stream.`);
  return { streamArn: Table.LatestStreamArn };
}

/**
 * Creates it from the one definition. dynoxide takes writes at once; without a time to live nothing of it
 * expires.
 */
export async function createTable(client: DynamoDBClient, tableName: string): Promise<void> {
  await client.send(new CreateTableCommand({ ...tableInput(), TableName: tableName }));
}

async function ensureTimeToLive(client: DynamoDBClient, tableName: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: tableName }),
  );
  if (TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED') return;
  const specification = { AttributeName: TTL_ATTRIBUTE, Enabled: true };
  await client.send(
    new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification: specification }),
  );
}

/** The definition with arrays of its own: the SDK's input types know no readonly ones. */
function tableInput(): Omit<CreateTableCommandInput, 'TableName'> {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = tableDefinition;
  return {
    ...tableDefinition,
    AttributeDefinitions: [...AttributeDefinitions],
    KeySchema: [...KeySchema],
    GlobalSecondaryIndexes: GlobalSecondaryIndexes.map((index) => ({
      ...index,
      KeySchema: [...index.KeySchema],
    })),
  };
}

/**
 * Indexes the lookup that dynoxide makes at each write of a table with a stream: without it, writes slow down
 * as records add up. Only for the file of a dynoxide that we started.
 */
export function indexStream(file: string): void {
  const database = openBeside(file);
  try {
    database.exec(
      'CREATE INDEX IF NOT EXISTS slipway_stream_seq ON _stream_records(table_name, CAST(sequence_number AS INTEGER))',
    );
  } finally {
    database.close();
  }
}

/** dynoxide holds the file's write lock for milliseconds at a time. */
const BUSY_TIMEOUT_MILLISECONDS = 5_000;

/** Opens the database file beside the running dynoxide. */
export function openBeside(file: string): DatabaseSync {
  return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MILLISECONDS });
}

/** Deleted within a few milliseconds, so that neither this process nor the database's writers wait. */
const ROWS_MAX = 1_000;

/**
 * Deletes up to 1,000 stream records of a table that come before `sequenceNumber`, and gives their number.
 * dynoxide never does. That record itself stays: were the newest one deleted, numbering would start at 1
 * again and readers would go blind.
 */
export function trimStream(file: string, tableName: string, sequenceNumber: string): number {
  const database = openBeside(file);
  try {
    const trim = database.prepare(`
      DELETE FROM _stream_records WHERE id IN (
        SELECT id FROM _stream_records
        WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER) LIMIT ${ROWS_MAX}
      )`);
    return Number(trim.run(tableName, sequenceNumber).changes);
  } finally {
    database.close();
  }
}
