import { randomUUID } from 'node:crypto';
import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { findDynamoDb } from '../../../lib/embedded/dynoxide/binary.ts';
import { documentClient } from '../../../lib/embedded/dynoxide/client.ts';
import { ensureTable } from '../../../lib/embedded/dynoxide/table.ts';
import { DUE_INDEX, TTL_ATTRIBUTE } from '../../../lib/store/table.ts';
import { dynamoDbEndpoint, freshTable } from '../../support/table/dynoxide.ts';

describe('the table', () => {
  it('has the stream, the index and the time to live of the definition', async () => {
    const client = documentClient(dynamoDbEndpoint());
    const name = `test-${randomUUID()}`;
    await ensureTable(client, name);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
    expect(Table?.GlobalSecondaryIndexes?.map((index) => index.IndexName)).toEqual([DUE_INDEX]);
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
    expect(TimeToLiveDescription).toMatchObject({
      AttributeName: TTL_ATTRIBUTE,
      TimeToLiveStatus: 'ENABLED',
    });
  });

  it('is nobody else’s, and drops undefined values', async () => {
    const [one, two] = await Promise.all([freshTable(), freshTable()]);
    const key = { pk: 'a', sk: 'b' };
    await one.client.send(new PutCommand({ TableName: one.name, Item: { ...key, x: 1, y: undefined } }));
    const read = async (table: typeof one) =>
      (await table.client.send(new GetCommand({ TableName: table.name, Key: key }))).Item;
    expect(await read(one)).toEqual({ ...key, x: 1 });
    expect(await read(two)).toBeUndefined();
  });
});

describe('findDynamoDb', () => {
  const nothing = () => {
    throw new Error('not found');
  };

  it('prefers the binary of the platform', () => {
    const found = findDynamoDb(
      { AWS_ENDPOINT_URL_DYNAMODB: 'http://x' },
      'linux-x64',
      (name) => `/m/${name}`,
    );
    expect(found).toEqual({ kind: 'binary', path: '/m/@dynoxide/linux-x64/dynoxide' });
  });

  it('takes the endpoint where there is no binary', () => {
    const found = findDynamoDb({ AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:8000' }, 'sunos-x64', nothing);
    expect(found).toEqual({ kind: 'endpoint', url: 'http://localhost:8000' });
  });

  it('says what to install where there is neither', () => {
    expect(() => findDynamoDb({}, 'darwin-arm64', nothing)).toThrow(
      /npm install --no-save @dynoxide\/darwin-arm64.*AWS_ENDPOINT_URL_DYNAMODB/,
    );
  });
});
