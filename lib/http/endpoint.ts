import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { UseCase } from '../app/caller.ts';
import type { Deps } from '../app/deps.ts';
import { authenticate as authenticateByKey } from '../app/identity/authenticate.ts';
import { refuse } from '../contract/errors.ts';
import { lazy } from '../contract/lazy.ts';
import type { RouteInput, RouteOutput, RouteRow } from '../contract/routes/route.ts';
import { accessLog } from './access-log.ts';
import { type Authenticate, authentication } from './authentication.ts';
import { authorization } from './authorization.ts';
import { baseUrl } from './base-url.ts';
import { body } from './body.ts';
import { errorMapping } from './error-mapping.ts';
import { type Exchange, exchangeOf, type Result, type Step } from './exchange.ts';
import { logger } from './logger.ts';
import { requestId } from './request-id.ts';
import { respond } from './respond.ts';
import { type Check, validate } from './validate.ts';

export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Result>;

/** What authentication needs, whatever the use case itself needs. */
export type IdentityDeps = Pick<Deps, 'table' | 'clock'>;

type Options = { check?: Check; authenticate?: Authenticate<IdentityDeps> };

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

function inputOf<R extends RouteRow>(event: APIGatewayProxyEventV2, exchange: Exchange): RouteInput<R> {
  const input = {
    ...exchange.input,
    headers: meaningfulHeaders(event),
    requestId: exchange.requestId,
    baseUrl: baseUrl(event, process.env.SLIPWAY_BASE_URL),
  };
  return input as RouteInput<R>; // `validate` has parsed each part with this row's schemas
}

/** Steps of every request, outermost first: what comes later is not reached by a request that an earlier one refuses. */
function chain(row: RouteRow, deps: () => IdentityDeps, options: Options): Step[] {
  const identity =
    row.permission === 'public'
      ? []
      : [authentication(options.authenticate ?? authenticateByKey, deps), authorization(row.permission)];
  return [
    requestId(),
    accessLog(row, logger),
    errorMapping(row.operation, logger),
    ...identity,
    body(),
    validate(row, options.check),
    respond(row),
  ];
}

/**
 * Makes an endpoint of a row and its use case. The result takes a thunk for the dependencies, called at the first request and
 * kept, so that a module can export a handler before the environment is complete. Options: rules on the body beyond its
 * schema (`check`), another way to prove who asks (`authenticate`, for tests).
 */
export function endpoint<const R extends RouteRow, D>(
  row: R,
  useCase: UseCase<D, RouteInput<R>, RouteOutput<R>>,
  options: Options = {},
): (deps: () => D & IdentityDeps) => Handler {
  return (deps) => {
    const kept = lazy(deps);
    const run = async (event: APIGatewayProxyEventV2) => {
      const exchange = exchangeOf(event);
      if (exchange.caller === undefined) throw refuse('unauthenticated', {});
      return useCase(kept(), inputOf<R>(event, exchange), exchange.caller);
    };
    return wrap(run, chain(row, kept, options));
  };
}

/** The same for a row that anybody may call: no dependencies, no caller. */
export function publicEndpoint<const R extends RouteRow & { permission: 'public' }>(
  row: R,
  useCase: (input: RouteInput<R>) => Promise<RouteOutput<R>>,
): () => Handler {
  const noDeps = () => {
    throw new Error('a public route has no dependencies');
  };
  return () => wrap(async (event) => useCase(inputOf<R>(event, exchangeOf(event))), chain(row, noDeps, {}));
}

function wrap(run: (event: APIGatewayProxyEventV2) => Promise<unknown>, steps: Step[]): Handler {
  const handler = middy<APIGatewayProxyEventV2, Result>().use(steps);
  // Until `respond` turns it into an answer, middy's response is the use case's output.
  return handler.handler(run as (event: APIGatewayProxyEventV2) => Promise<Result>);
}
