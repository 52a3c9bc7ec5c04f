import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { decodedPart } from './percent.ts';
import type { Match } from './router.ts';

/** `/api-host` is a stage of that name, as on AWS: routes know nothing of it, `rawPath` carries it. */
export type RequestTarget = { stage: string; rawPath: string; path: string; rawQueryString: string };

const STAGE = 'api-host';
const ACCOUNT_ID = '000000000000';
const API_ID = 'embedded';

/** The parts of a request's address. */
export function requestTargetOf(url: string): RequestTarget {
  const [rawPath = '/', ...query] = url.split('?');
  const rawQueryString = query.join('?');
  const staged = rawPath === `/${STAGE}` || rawPath.startsWith(`/${STAGE}/`);
  const path = staged ? rawPath.slice(STAGE.length + 1) || '/' : rawPath;
  return { stage: staged ? STAGE : '$default', rawPath, path, rawQueryString };
}

const HEADERS_NOT_PASSED = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'cookie']);

/**
 * Where a request comes from: who has connected, or who the operator's proxy says has connected to it. Of
 * several addresses the last is the proxy's own word; those before are the client's.
 */
export function clientAddressOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const told = trustProxy ? String(headers['x-forwarded-for'] ?? '') : '';
  const last = told.split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? (socket.remoteAddress ?? '127.0.0.1') : last;
}

/** Names in lower case; repeated headers joined by a comma; cookies are passed on their own. */
function headersOf(request: IncomingMessage, clientAddress: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    if (values !== undefined && !HEADERS_NOT_PASSED.has(name)) headers[name] = values.join(',');
  }
  return {
    ...headers,
    'x-forwarded-for': clientAddress,
    'x-forwarded-port': String(request.socket.localPort ?? 0),
    'x-forwarded-proto': 'http',
  };
}

function queryOf(rawQueryString: string): Record<string, string> {
  const query = new Map<string, string>();
  for (const pair of rawQueryString.split('&')) {
    if (pair === '') continue;
    const [name = '', ...rest] = pair.replaceAll('+', ' ').split('=').map(decodedPart);
    const before = query.get(name);
    const value = rest.join('=');
    query.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(query);
}

function cookiesOf({ headers: { cookie } }: IncomingMessage): string[] {
  return (cookie ?? '').split(';').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `12/Mar/2020:19:03:58 +0000` */
function clfTime(epochMilliseconds: number): string {
  const [date = '', time = ''] = new Date(epochMilliseconds).toISOString().split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
}

/** What API Gateway takes for text; the bytes of anything else come in base64. */
const textual = /^(?:text\/|application\/(?:(?:[^;]*\+)?(?:json|xml)|javascript|x-www-form-urlencoded))/i;

function bodyOf(request: IncomingMessage, body: Buffer): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const type = request.headers['content-type'];
  // Bytes that are no text stay what they are: decoded here, a handler could not tell them from what they are
  // replaced by.
  const isText = (type === undefined || textual.test(type)) && isUtf8(body);
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

/** A complete event of payload format 2.0, as API Gateway makes it of this request. */
export function eventOf(
  request: IncomingMessage,
  target: RequestTarget,
  match: Match,
  body: Buffer,
  { now, clientAddress }: { now: number; clientAddress: string },
): APIGatewayProxyEventV2 {
  const domainName = `localhost:${request.socket.localPort}`;
  const query = queryOf(target.rawQueryString);
  const cookies = cookiesOf(request);
  return {
    version: '2.0',
    routeKey: match.routeKey,
    rawPath: target.rawPath,
    rawQueryString: target.rawQueryString,
    ...(cookies.length > 0 && { cookies }),
    headers: headersOf(request, clientAddress),
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    requestContext: {
      accountId: ACCOUNT_ID,
      apiId: API_ID,
      domainName,
      domainPrefix: 'localhost',
      http: {
        method: request.method ?? 'GET',
        path: target.rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: clientAddress,
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: match.routeKey,
      stage: target.stage,
      time: clfTime(now),
      timeEpoch: now,
    },
    ...(Object.keys(match.pathParameters).length > 0 && { pathParameters: match.pathParameters }),
    ...bodyOf(request, body),
  };
}
