import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { OpenTable } from './main.ts';

/**
 * The table of a deployed installation, reached with the caller's own credentials: the SDK's default chain.
 */
export function deployedTable(name: string, region: string | undefined): OpenTable {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(region === undefined ? {} : { region }), {
    marshallOptions: { removeUndefinedValues: true },
  });
  return { table: { client, name }, close: () => client.destroy() };
}
