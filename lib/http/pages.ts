import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Page, type PageRequest, pageHeaders } from '../contract/browser/page.ts';
import { ApiError, ValidationError } from '../contract/errors.ts';
import type { RouteRow } from '../contract/routes/route.ts';
import { failurePage, policyOf } from '../features/consent/pages.ts';
import { shownMessageOf, unavailable } from './errors.ts';
import type { Exchange, Middleware, Result } from './exchange.ts';
import { errorFacts, logger } from './logger.ts';
import { baseUrl } from './request.ts';

/** What a browser asked for, once `validate` has passed it. */
export function pageRequest(
  { method }: RouteRow,
  event: APIGatewayProxyEventV2,
  { input }: Exchange,
): PageRequest {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed with the row's schema: each is a text
  const params = (input?.params ?? {}) as Record<string, string>;
  return {
    params,
    query: new URLSearchParams(event.rawQueryString),
    form: method === 'POST' ? readForm(event) : new URLSearchParams(),
    cookies: cookiesOf(event),
    isFromOwnPage: isFromOwnPage(event.headers['sec-fetch-site']),
    baseUrl: baseUrl(event),
    requestId: event.requestContext.requestId,
    // Several paths may lead to one function.
    path: (event.routeKey.split(' ')[1] ?? '').replaceAll(
      /\{(\w+)\}/g,
      (placeholder, name: string) => params[name] ?? placeholder,
    ),
  };
}

/** Forms of ours have one short field. */
const FORM_SIZE_BYTES_MAX = 16 * 1024;

/** The fields of a posted form; none of a body that is larger than ours are, or no form. */
function readForm({ body = '', isBase64Encoded, headers }: APIGatewayProxyEventV2): URLSearchParams {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const isForm = type.trim().toLowerCase() === 'application/x-www-form-urlencoded';
  return new URLSearchParams(isForm && bytes.byteLength <= FORM_SIZE_BYTES_MAX ? bytes.toString('utf8') : '');
}

/**
 * Events of payload format 2.0 carry cookies apart; gateways that only speak like API Gateway leave them in
 * their header.
 */
function cookiesOf({ cookies, headers }: APIGatewayProxyEventV2): Map<string, string> {
  const all = cookies ?? (headers.cookie ?? '').split(';');
  return new Map(
    all.map((cookie) => {
      const [name = '', ...value] = cookie.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

/**
 * Browsers say it themselves, and pages cannot (Fetch Metadata); our own pages send neither a referrer nor an
 * origin.
 */
const isFromOwnPage = (site: string | undefined): boolean | undefined =>
  site === undefined ? undefined : site === 'same-origin';

/** The answer that shows a page, or leads on from it. */
export function pageAnswer(event: APIGatewayProxyEventV2, page: Page): Result {
  const headers = pageHeaders(policyOf(baseUrl(event)));
  const cookies = page.cookies === undefined ? {} : { cookies: [...page.cookies] };
  if ('location' in page)
    return { statusCode: page.status, headers: { ...headers, Location: page.location }, ...cookies };
  return {
    statusCode: page.status,
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
    body: page.html,
    ...cookies,
  };
}

/** Shows refusals as pages. Unexpected errors are logged, and the page gives no details. */
export const errorPages = (operation: string): Middleware => ({
  onError: (request) => {
    const { event, error } = request;
    const { requestId: id } = event.requestContext;
    const refusal = error instanceof ApiError ? error : unavailable(error);
    const page =
      refusal === undefined ? unexpectedPage(error, id) : failurePage(refusal.status, refusal.message);
    if (page.status >= 500 && refusal !== error)
      logger().error(shownMessageOf(refusal), { operation, request_id: id, ...errorFacts(error) });
    const result = pageAnswer(event, page);
    request.response = { ...result, headers: { ...refusal?.headers, ...result.headers } };
  },
});

function unexpectedPage(error: unknown, id: string): Page {
  if (error instanceof ValidationError) return failurePage(422, 'This address is not one of ours.');
  return failurePage(500, `Something went wrong on our side. When you report it, quote this number: ${id}`);
}
