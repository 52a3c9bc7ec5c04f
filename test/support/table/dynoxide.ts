import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { documentClient } from '../../../lib/embedded/dynoxide/client.ts';
import { createTable } from '../../../lib/embedded/dynoxide/table.ts';
import { type Patience, systemPatience } from '../../../lib/store/dynamodb/patience.ts';
import type { Table } from '../../../lib/store/table.ts';

/** The address of the DynamoDB that the global setup has started. */
export function dynamoDbEndpoint(): string {
  const endpoint: string | undefined = inject('dynamoDbEndpoint');
  if (endpoint === undefined) {
    throw new Error(
      'No database here: run with `vitest run --config test/vitest.config.ts`, outside project unit.',
    );
  }
  return endpoint;
}

/**
 * A new, empty table of the real definition, with its stream, that nobody else uses. Callable anywhere in a
 * test file.
 */
export async function freshTable(): Promise<Table> {
  const client = documentClient(dynamoDbEndpoint());
  const name = `test-${randomUUID()}`;
  await createTable(client, name);
  return { client, name, patience: unhurried };
}

/**
 * A busy machine makes contention last longer: its clock runs at a tenth, so that nobody takes that for an
 * outage.
 */
const unhurried: Patience = { ...systemPatience, now: () => Date.now() / 10 };
