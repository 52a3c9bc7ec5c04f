import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { Log } from '../../listener/log.ts';
import type { Processes } from '../../processes/run-command.ts';
import { joinedReads } from '../../store/dynamodb/joined-reads.ts';
import type { Table } from '../../store/table.ts';
import { noteDatabase } from '../data-folder/running-database.ts';
import { databaseNotice } from '../dynoxide/address.ts';
import { findDynamoDb } from '../dynoxide/binary.ts';
import { documentClient, streamsClient } from '../dynoxide/client.ts';

import { startDynoxide } from '../dynoxide/server.ts';
import { ensureTable, indexStream, trimStream } from '../dynoxide/table.ts';

const TABLE_NAME = 'slipway';

export type Database = {
  table: Table;
  streams: DynamoDBStreamsClient;
  streamArn: string;
  /** Who can reach it, for the person who starts it; undefined for a database that is not ours. */
  notice: string | undefined;
  /** Deletes stream records that everybody has handled; nothing to do for a database that is not ours. */
  trim(handledTo: string): Promise<void>;
  close(): Promise<void>;
};

/** Starts the database of the data folder, or connects to the given endpoint, and makes sure of the table. */
export async function openDatabase(
  dataFolder: string,
  processes: Processes,
  log: Log,
  environment: NodeJS.ProcessEnv,
): Promise<Database> {
  const source = findDynamoDb(environment);
  if (source.kind === 'endpoint') {
    await noteDatabase(dataFolder, { endpoint: source.url, table: TABLE_NAME });
    return connect(source.url);
  }
  const file = join(dataFolder, 'table.db');
  const server = await startDynoxide({ processes, binary: source.path, file, onCrash: log.error });
  try {
    const database = await connect(server.endpoint);
    indexStream(file);
    await noteDatabase(dataFolder, { endpoint: server.endpoint, table: TABLE_NAME });
    const trim = async (handledTo: string) => {
      // In small steps: the file is opened synchronously, and requests are answered in between.
      while (trimStream(file, TABLE_NAME, handledTo) > 0) await setImmediate();
    };
    const close = async () => {
      await database.close();
      await server.stop();
    };
    return { ...database, notice: databaseNotice(server.host), trim, close };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function connect(endpoint: string): Promise<Database> {
  const client = documentClient(endpoint);
  const streams = streamsClient(endpoint);
  const { streamArn } = await ensureTable(client, TABLE_NAME);
  const close = async () => {
    client.destroy();
    streams.destroy();
  };
  const table = { client, name: TABLE_NAME, readOne: joinedReads(client, TABLE_NAME) };
  return { table, streams, streamArn, notice: undefined, trim: async () => {}, close };
}
