import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { policyOf } from '../app/auth/consent/pages/layout.ts';
import { failurePage } from '../app/auth/consent/pages/pages.ts';
import { ApiError, ValidationError } from '../contract/errors.ts';
import { once } from '../contract/once.ts';
import { type Page, type PageRequest, pageHeaders } from '../contract/page.ts';
import type { RouteRow } from '../contract/routes/route.ts';
import { accessLog } from './access-log.ts';
import { baseUrl } from './base-url.ts';
import { type Handler, wrap } from './chain.ts';
import { errorFacts, messageOf, unavailable } from './error-mapping.ts';
import { exchangeOf, type Result, type Step } from './exchange.ts';
import { readForm } from './form.ts';
import { logger } from './logger.ts';
import { type RefusalDeps, refusals } from './refusals.ts';
import { requestId } from './request-id.ts';
import { validate } from './validate.ts';

type PageRow = RouteRow & { permission: 'public'; page: object };

/** An endpoint whose answers people read in a browser: pages, refusals too, with the headers that keep them to that browser. */
export function pageEndpoint<D>(
  row: PageRow,
  useCase: (deps: D, request: PageRequest) => Promise<Page>,
): (deps: () => D & RefusalDeps) => Handler {
  return (deps) => {
    const kept = once(deps);
    const outermost = [requestId(), accessLog(row, logger), refusals(row, kept)];
    const steps = [...outermost, failures(row.operation), validate(row)];
    return wrap(async (event) => answerOf(event, await useCase(kept(), requestOf(row, event))), steps);
  };
}

function requestOf({ method }: PageRow, event: APIGatewayProxyEventV2): PageRequest {
  const params = (exchangeOf(event).input?.params ?? {}) as Record<string, string>; // parsed with the row's schema
  return {
    params,
    query: new URLSearchParams(event.rawQueryString),
    form: method === 'POST' ? readForm(event) : new URLSearchParams(),
    cookies: cookiesOf(event),
    isFromOwnPage: isFromOwnPage(event.headers['sec-fetch-site']),
    baseUrl: baseOf(event),
    requestId: exchangeOf(event).requestId,
    // Several paths may lead to one function.
    path: (event.routeKey.split(' ')[1] ?? '').replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => params[name] ?? '',
    ),
  };
}

/** Events of payload format 2.0 carry cookies apart; gateways that only speak like API Gateway leave them in their header. */
function cookiesOf({ cookies, headers }: APIGatewayProxyEventV2): Map<string, string> {
  const all = cookies ?? (headers.cookie ?? '').split(';');
  return new Map(
    all.map((cookie) => {
      const [name = '', ...value] = cookie.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

const baseOf = (event: APIGatewayProxyEventV2): string => baseUrl(event, process.env.SLIPWAY_BASE_URL);

/** Browsers say it themselves, and pages cannot (Fetch Metadata); our own pages send neither a referrer nor an origin. */
const isFromOwnPage = (site: string | undefined): boolean | undefined =>
  site === undefined ? undefined : site === 'same-origin';

function answerOf(event: APIGatewayProxyEventV2, page: Page): Result {
  const headers = pageHeaders(policyOf(baseOf(event)));
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

/** Refusals as pages; what nobody foresaw is logged, and says nothing of itself. */
const failures = (operation: string): Step => ({
  onError: (request) => {
    const { event, error } = request;
    const { requestId: id } = exchangeOf(event);
    const refusal = error instanceof ApiError ? error : unavailable(error);
    const page = refusal === undefined ? pageOf(error, id) : failurePage(refusal.status, refusal.message);
    if (page.status >= 500 && refusal !== error)
      logger().error(messageOf(refusal), { operation, request_id: id, ...errorFacts(error) });
    const result = answerOf(event, page);
    request.response = { ...result, headers: { ...refusal?.headers, ...result.headers } };
  },
});

function pageOf(error: unknown, id: string): Page {
  if (error instanceof ValidationError) return failurePage(422, 'This address is not one of ours.');
  return failurePage(
    500,
    `Something is wrong on our side. Nothing can be said about it but its number: ${id}`,
  );
}
