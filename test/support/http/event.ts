import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';

export type EventParts = {
  method?: string;
  path?: string;
  routeKey?: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** An object is sent as JSON, a text as it is. */
  body?: unknown;
  isBase64Encoded?: boolean;
  domainName?: string;
  stage?: string;
  requestId?: string;
};

/**
 * A complete API Gateway v2 event, as the HTTP API makes it: absent parts are absent keys, header names in
 * lower case.
 */
export function apiEvent(parts: EventParts = {}): APIGatewayProxyEventV2 {
  const { method = 'GET', path = '/ok', stage = '$default', domainName = 'api.example.com' } = parts;
  const routeKey = parts.routeKey ?? `${method} ${path}`;
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: new URLSearchParams(parts.query).toString(),
    headers: { 'content-type': 'application/json', ...parts.headers },
    ...(parts.query === undefined ? {} : { queryStringParameters: parts.query }),
    ...(parts.params === undefined ? {} : { pathParameters: parts.params }),
    ...(parts.body === undefined
      ? {}
      : { body: typeof parts.body === 'string' ? parts.body : JSON.stringify(parts.body) }),
    isBase64Encoded: parts.isBase64Encoded ?? false,
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      domainName,
      domainPrefix: domainName.split('.')[0] ?? '',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: parts.requestId ?? 'request-1',
      routeKey,
      stage,
      time: '01/Jan/2026:00:00:00 +0000',
      timeEpoch: 1767225600000,
    },
  };
}

/** What Lambda passes beside an event. */
export const lambdaContext = (): Context => ({
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'test',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:test',
  memoryLimitInMB: '128',
  awsRequestId: 'invocation-1',
  logGroupName: 'test',
  logStreamName: 'test',
  getRemainingTimeInMillis: () => 30_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
});
