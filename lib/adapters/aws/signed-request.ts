import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { once } from '../../contract/once.ts';

/** A call of a service for which no client is bundled: the SDK signs it, fetch sends it. */
export type JsonCall = {
  /** As requests are signed for it, and in its host name. */
  service: string;
  /** Where the environment names another address for it, such as an emulator's. */
  endpointVariable: string;
  /** The operation, as `X-Amz-Target` says it. */
  target: string;
  body: object;
  signal: AbortSignal;
};

const JSON_VERSION = 'application/x-amz-json-1.1';
/** Errors of services are short; what is longer says nothing more. */
const REASON_CHARACTERS_MAX = 300;

/** Never called itself: its settings know the region, the credentials and how requests are signed. */
const signing = once(() => new DynamoDBClient({}));

/** Calls an operation of the JSON 1.1 protocol in the function's own region, and gives its answer. Throws for every status but 2xx. */
export async function callService({
  service,
  endpointVariable,
  target,
  body,
  signal,
}: JsonCall): Promise<unknown> {
  const { signer, region: ownRegion } = signing().config;
  const region = await ownRegion();
  const url = new URL(
    process.env[endpointVariable] ??
      process.env.AWS_ENDPOINT_URL ??
      `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`,
  );
  const text = JSON.stringify(body);
  const signed = await (
    await signer({ name: 'sigv4', signingName: service, signingRegion: region, properties: {} })
  ).sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port !== '' && { port: Number(url.port) }),
    path: url.pathname,
    query: {},
    headers: { host: url.host, 'content-type': JSON_VERSION, 'x-amz-target': target },
    body: text,
  });
  const { host: _, ...headers } = signed.headers;
  const response = await fetch(url, { method: 'POST', headers, body: text, signal });
  const answer = await response.text();
  if (!response.ok) {
    throw new Error(`${target}: HTTP ${response.status} ${answer.slice(0, REASON_CHARACTERS_MAX)}`);
  }
  return JSON.parse(answer);
}
