import { createHash, createHmac } from 'node:crypto';

/** The region and the credentials of the emulator's root user, for clients and for the CDK CLI. */
export const awsEnvironment = {
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
} as const;

/** An operation of a service that speaks JSON and that the program itself has no client for. */
export type Operation = {
  endpoint: string;
  service: 'events' | 'logs' | 'monitoring' | 'sqs';
  /** Such as `AWSEvents.PutEvents`. */
  target: string;
  input: object;
};

/** Calls one operation and gives its answer. Throws unless it is 200. */
export async function awsCall<T>({ endpoint, service, target, input }: Operation): Promise<T> {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
  const text = await signedPost(endpoint, service, headers, JSON.stringify(input));
  return (text === '' ? {} : JSON.parse(text)) as T; // the caller states the shape it reads
}

/**
 * Calls one operation of a service that takes forms, such as `Subscribe` of `sns`. Throws unless the answer
 * is 200.
 */
export async function awsForm(endpoint: string, service: 'sns', form: Record<string, string>): Promise<void> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await signedPost(endpoint, service, headers, new URLSearchParams(form).toString());
}

/** Signed as AWS asks for, signature version 4. */
async function signedPost(
  endpoint: string,
  service: string,
  more: Record<string, string>,
  body: string,
): Promise<string> {
  const headers = {
    ...more,
    host: new URL(endpoint).host,
    'x-amz-date': new Date().toISOString().replaceAll(/[-:]|\.\d+/g, ''),
  };
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { ...headers, authorization: authorization(service, headers, body) },
    body,
  });
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`${body.slice(0, 200)} was answered ${response.status}: ${text}`);
  return text;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

function authorization(
  service: string,
  headers: Record<string, string> & { 'x-amz-date': string },
  body: string,
): string {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = awsEnvironment;
  const names = Object.keys(headers).sort();
  const signed = names.join(';');
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('');
  const request = ['POST', '/', '', lines, signed, sha256(body)].join('\n');
  const time = headers['x-amz-date'];
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(request)].join('\n');
  const signature = createHmac('sha256', key).update(text).digest('hex');
  return `AWS4-HMAC-SHA256 Credential=${id}/${scope.join('/')}, SignedHeaders=${signed}, Signature=${signature}`;
}
