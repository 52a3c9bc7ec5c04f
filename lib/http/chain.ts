import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { RouteInput, RouteRow } from '../contract/routes/route.ts';
import { accessLog } from './access-log.ts';
import { baseUrl } from './base-url.ts';
import { body } from './body.ts';
import { errorMapping } from './error-mapping.ts';
import type { Exchange, Result, Step } from './exchange.ts';
import { logger } from './logger.ts';
import { requestId } from './request-id.ts';
import { respond } from './respond.ts';
import { type Check, validate } from './validate.ts';

export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Result>;

type Headers = RouteInput<RouteRow>['headers'];

function meaningfulHeaders({ headers }: APIGatewayProxyEventV2): Headers {
  const picked = {
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    lastEventId: headers['last-event-id'],
    accept: headers.accept,
  };
  return Object.fromEntries(Object.entries(picked).filter(([, value]) => value !== undefined));
}

/** What a use case is given of a request that went through the chain. */
export function inputOf<R extends RouteRow>(
  event: APIGatewayProxyEventV2,
  exchange: Exchange,
): RouteInput<R> {
  const input = {
    ...exchange.input,
    headers: meaningfulHeaders(event),
    requestId: exchange.requestId,
    baseUrl: baseUrl(event, process.env.SLIPWAY_BASE_URL),
  };
  return input as RouteInput<R>; // `validate` has parsed each part with this row's schemas
}

/** Steps of every request, outermost first: what comes later is not reached by a request that an earlier one refuses. */
export const chain = (row: RouteRow, identity: Step[], check?: Check): Step[] => [
  requestId(),
  accessLog(row, logger),
  errorMapping(row.operation, logger),
  ...identity,
  body(row),
  validate(row, check),
  respond(row),
];

/** A handler of what answers and the steps around it. */
export function wrap(run: (event: APIGatewayProxyEventV2) => Promise<unknown>, steps: Step[]): Handler {
  const handler = middy<APIGatewayProxyEventV2, Result>().use(steps);
  // Until `respond` turns it into an answer, middy's response is the use case's output.
  return handler.handler(run as (event: APIGatewayProxyEventV2) => Promise<Result>);
}
