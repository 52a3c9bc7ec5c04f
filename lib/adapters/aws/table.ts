import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../store/table.ts';

/** The table in the function's own region. */
export function createDynamoTable(name: string): Table {
  const marshallOptions = { removeUndefinedValues: true };
  return { client: DynamoDBDocumentClient.from(new DynamoDBClient({}), { marshallOptions }), name };
}
