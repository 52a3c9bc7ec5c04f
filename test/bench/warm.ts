import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { create } from '../../functions/api/deployments/get.ts';
import { systemClock } from '../../lib/adapters/clock.ts';
import type { Key } from '../../lib/store/keys/index.ts';
import { apiEvent, lambdaContext } from '../support/http/event.ts';
import { ids, seedAll, seedKey } from '../support/table/stored-items.ts';
import { printTable, quantile } from './table.ts';

const CALLS = 3_000;
const WARM_UPS = 1_000;
const OVERHEAD_MILLISECONDS_MAX = 0.4;

type Item = Record<string, unknown>;

/**
 * A DynamoDB client whose network answers GetItem at once from what was seeded, and the keys it was asked
 * for.
 */
function stubbedTable() {
  const items = new Map<string, Buffer>();
  const asked: Key[] = [];
  const seed = (key: Key, item: object): void => {
    items.set(`${key.pk} ${key.sk}`, Buffer.from(JSON.stringify({ Item: marshall({ ...key, ...item }) })));
  };
  const nothing = Buffer.from('{}');
  const requestHandler = {
    metadata: { handlerProtocol: 'http/1.1' },
    handle: async ({ body }: { body?: string | Uint8Array }) => {
      const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
      const { Key: key }: { Key: Record<'pk' | 'sk', { S: string }> } = JSON.parse(text);
      asked.push({ pk: key.pk.S, sk: key.sk.S });
      const answer = items.get(`${key.pk.S} ${key.sk.S}`) ?? nothing;
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      return { response: { statusCode: 200, headers, body: Readable.from([answer]) } };
    },
  };
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
  const client = DynamoDBDocumentClient.from(
    // Of an answer the SDK reads these three parts, whatever class it is of.
    new DynamoDBClient({ region: 'us-east-1', credentials, requestHandler: requestHandler as never }),
  );
  return { table: { client, name: 'stub' }, seed, asked };
}

type Handler = (event: APIGatewayProxyEventV2) => Promise<{ statusCode?: number | undefined }>;

/** Parses, makes the same reads one after the other, answers: what nobody could do without. */
const bareHandler =
  ({ client, name }: { client: DynamoDBDocumentClient; name: string }, keys: Key[]): Handler =>
  async (event) => {
    const id = event.pathParameters?.deployment_id;
    const found: Item[] = [];
    for (const Key of keys) {
      const { Item } = await client.send(new GetCommand({ TableName: name, Key, ConsistentRead: true }));
      if (Item !== undefined) found.push(Item);
    }
    return { statusCode: 200, body: JSON.stringify(found.find((item) => item.id === id)) };
  };

/** Warm: GET deployment with the whole chain against a bare handler that makes the same reads, in pairs. */
export async function warm(): Promise<void> {
  const stub = stubbedTable();
  seedAll(stub);
  const headers = { 'x-api-key': seedKey(stub, 'viewer') };
  const params = { deployment_id: ids.deployment };
  const event = () => apiEvent({ method: 'GET', path: `/v2/deployments/${ids.deployment}`, params, headers });
  const handler = create(() => ({ table: stub.table, clock: systemClock }));
  const ours: Handler = (given) => handler(given, lambdaContext());
  const first = await ours(event());
  if (first.statusCode !== 200) throw new Error(`GET deployment answered ${JSON.stringify(first)}`);
  const bare = bareHandler(stub.table, [...stub.asked]);
  const reads = stub.asked.length;
  const timed = async (which: Handler): Promise<number> => {
    const given = event();
    const at = performance.now();
    await which(given);
    return performance.now() - at;
  };
  const [oursTimes, bareTimes]: [number[], number[]] = [[], []];
  for (let call = -WARM_UPS; call < CALLS; call += 1) {
    const pair = [await timed(ours), await timed(bare)] as const;
    stub.asked.length = 0;
    if (call < 0) continue;
    oursTimes.push(pair[0]);
    bareTimes.push(pair[1]);
  }
  const overhead = quantile(oursTimes, 0.5) - quantile(bareTimes, 0.5);
  const verdict = overhead <= OVERHEAD_MILLISECONDS_MAX ? 'met' : 'NOT MET';
  printTable(
    `Warm: GET deployment, ${reads} reads from a stubbed network, µs, ${CALLS} pairs; the chain adds ${(overhead * 1000).toFixed(0)} µs (at most 400: ${verdict})`,
    ['handler', 'median', 'p95'],
    [
      ['GET deployment', quantile(oursTimes, 0.5) * 1000, quantile(oursTimes, 0.95) * 1000],
      ['bare, same reads', quantile(bareTimes, 0.5) * 1000, quantile(bareTimes, 0.95) * 1000],
    ],
  );
}
