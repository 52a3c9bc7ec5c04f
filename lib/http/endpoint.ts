import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Page, PageRequest } from '../contract/browser/page.ts';
import { refuse, type ValidationItem } from '../contract/errors.ts';
import { once } from '../contract/once.ts';
import type { RouteInput, RouteKeys, RouteOutput, RouteRow } from '../contract/routes/route.ts';
import type { Caller, UseCase } from '../core/caller.ts';
import { unkeyed } from '../core/idempotency.ts';
import { authenticateCaller, type Credentials, type IdentityDeps } from '../core/identity/authenticate.ts';
import type { KeyUses } from '../core/identity/key-uses.ts';
import { type Authenticate, authentication, credentialsIn } from './authentication.ts';
import { authorization } from './authorization.ts';
import { body, bodyBytes } from './body.ts';
import { callsNothing, errorAnswers, unavailable } from './errors.ts';
import type { Exchange, Handler, Middleware, RequestContext, Result } from './exchange.ts';
import { formAsJson } from './form.ts';
import { idempotency } from './idempotency.ts';
import { ignored } from './ignored.ts';
import { notTaken } from './not-found.ts';
import { loggedAuditLog, loggedKeyUses } from './notes.ts';
import { errorPages, pageAnswer, pageRequest } from './pages.ts';
import { noteRefusals, type RefusalDeps } from './refusals.ts';
import { inputOf } from './request.ts';
import { successAnswer } from './respond.ts';
import { accessLog, requestId } from './trace.ts';
import { type BodyCheck, type SentBack, validate, type WithoutSentBack } from './validate.ts';

type Options<D> = {
  check?: BodyCheck;
  authenticate?: Authenticate;
  sentBack?: (
    deps: D & IdentityDeps,
    sent: { params: unknown; body: unknown; items: readonly ValidationItem[] },
    caller: Caller,
  ) => Promise<WithoutSentBack | undefined>;
};
/** What the chain itself gives to a use case, beside what its entry point makes. */
type Given = 'idempotency' | 'auditLog';

/**
 * Makes an endpoint of a row and its use case. The result takes a thunk for the dependencies, called at the
 * first request and kept, so that a module can export a handler before the environment is complete. Options:
 * rules on the body beyond its schema (`check`), what of it is only sent back (`sentBack`), another way to
 * prove who asks (`authenticate`, for tests).
 */
export function endpoint<const R extends RouteRow, D>(
  row: R,
  useCase: UseCase<D, RouteInput<R>, RouteOutput<R>>,
  { check, sentBack, authenticate = authenticateCaller }: Options<Omit<D, Given>> = {},
): (deps: () => Omit<D, Given> & IdentityDeps) => Handler {
  const { permission } = row;
  if (permission === 'public') throw new Error(`${row.operation} needs no key: make it with publicEndpoint`);
  return (deps) => {
    const kept = once(deps);
    const run: Run = async (event, exchange) => {
      if (exchange.caller === undefined) throw refuse('unauthenticated', {});
      const all: object = { auditLog: loggedAuditLog, ...kept(), idempotency: exchange.keyed ?? unkeyed };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Omit<D, Given> and the given ones are D again, which TypeScript cannot see
      const output = await useCase(all as D, inputOf<R>(event, exchange), exchange.caller);
      return successAnswer(row, event, output);
    };
    const identity = [
      noteRefusals(row, kept),
      authentication(authenticate, kept),
      authorization(permission),
      ...idempotency(row, kept),
    ];
    const without: SentBack = async ({ caller, body: given }, params, items) =>
      caller === undefined ? undefined : sentBack?.(kept(), { params, body: given, items }, caller);
    return serve(chain(row, errorAnswers(row.operation, unavailable), identity, check, without), run);
  };
}

/** An endpoint that anybody may call: no caller, and nothing in its bundle but what its use case asks for. */
export function publicEndpoint<const R extends RouteRow & { permission: 'public' }, D = object>(
  row: R,
  useCase: (deps: D, input: RouteInput<R>) => Promise<RouteOutput<R>>,
): (deps: () => D) => Handler {
  return (deps) => {
    const kept = once(deps);
    const run: Run = async (event, exchange) =>
      successAnswer(row, event, await useCase(kept(), inputOf<R>(event, exchange)));
    return serve(chain(row, errorAnswers(row.operation, callsNothing), []), run);
  };
}

/** An endpoint that takes something in the request for a credential, which the use case alone can judge. */
export function exchangeEndpoint<const R extends RouteRow & { permission: 'public' }, D>(
  row: R,
  useCase: (deps: D, input: RouteInput<R>) => Promise<RouteOutput<R>>,
  before: Middleware[] = [],
): (deps: () => D & RefusalDeps) => Handler {
  return (deps) => {
    const kept = once(deps);
    const run: Run = async (event, exchange) =>
      successAnswer(row, event, await useCase(kept(), inputOf<R>(event, exchange)));
    return serve(
      chain(row, errorAnswers(row.operation, unavailable), [noteRefusals(row, kept), ...before]),
      run,
    );
  };
}

/** An `exchangeEndpoint` whose body may be a form too, as clients of OAuth send it. */
export function formEndpoint<const R extends RouteRow & { permission: 'public' }, D>(
  row: R,
  useCase: (deps: D, input: RouteInput<R>) => Promise<RouteOutput<R>>,
): (deps: () => D & RefusalDeps) => Handler {
  return exchangeEndpoint(row, useCase, [formAsJson]);
}

/** An endpoint about the credential that it is asked with, which need not pick one of its tenants. */
export function credentialEndpoint<const R extends RouteRow & { tenantOptional: true }, D>(
  row: R,
  useCase: (deps: D, credentials: Credentials, uses: KeyUses) => Promise<RouteOutput<R>>,
): (deps: () => D & IdentityDeps) => Handler {
  return (deps) => {
    const kept = once(deps);
    const run: Run = async (event) => {
      const { keyUses = loggedKeyUses } = kept();
      return successAnswer(row, event, await useCase(kept(), credentialsIn(event), keyUses));
    };
    return serve(chain(row, errorAnswers(row.operation, unavailable), [noteRefusals(row, kept)]), run);
  };
}

type Raw = { headers: Readonly<Record<string, string | undefined>>; body: Uint8Array };

/**
 * An endpoint for programs that hold no key and sign what they send: its use case is given the headers and
 * the bytes of the body as they came.
 */
export function rawEndpoint<
  const R extends RouteRow & { permission: 'public'; rawBody: { sizeBytesMax: number } },
  D = object,
>(
  row: R,
  useCase: (deps: D, input: RouteInput<R> & { received: Raw }) => Promise<RouteOutput<R>>,
): (deps: () => D) => Handler {
  return (deps) => {
    const kept = once(deps);
    const run: Run = async (event, exchange) => {
      const received = { headers: event.headers, body: bodyBytes(event, row.rawBody.sizeBytesMax) };
      return successAnswer(row, event, await useCase(kept(), { ...inputOf<R>(event, exchange), received }));
    };
    return serve(chain(row, errorAnswers(row.operation, unavailable), []), run);
  };
}

/**
 * The steps of every request for JSON, outermost first: a request that one of them refuses does not reach the
 * next. `identity` finds out who asks and what they may.
 */
export const chain = (
  row: RouteRow,
  errors: Middleware,
  identity: Middleware[],
  check?: BodyCheck,
  sentBack?: SentBack,
): Middleware[] => [
  requestId,
  ...ignored(row),
  accessLog(row),
  errors,
  ...identity,
  body(row),
  validate(row, check, sentBack),
];

/**
 * An endpoint whose answers people read in a browser: pages, refusals too, with the headers that keep them to
 * that browser.
 */
export function pageEndpoint<D>(
  row: RouteRow & { permission: 'public'; page: object },
  useCase: (deps: D, request: PageRequest) => Promise<Page>,
): (deps: () => D & RefusalDeps) => Handler {
  return (deps) => {
    const kept = once(deps);
    const outermost = [requestId, accessLog(row), noteRefusals(row, kept)];
    const run: Run = async (event, exchange) =>
      pageAnswer(event, await useCase(kept(), pageRequest(row, event, exchange)));
    return serve([...outermost, errorPages(row.operation), validate(row)], run);
  };
}

/** Answers what no route took: 405 for a known path under another method, else 404. */
export const notFound = (routes: readonly RouteKeys[]): Handler =>
  serve([requestId, errorAnswers('fallback', callsNothing)], async (event) => {
    throw notTaken(routes, event);
  });

type Run = (event: APIGatewayProxyEventV2, exchange: Exchange) => Promise<Result>;

/** The handler of these steps with this function in the middle of them. */
export const serve = (steps: Middleware[], run: Run): Handler =>
  middy<APIGatewayProxyEventV2, Result, Error, RequestContext, Exchange>()
    .use([...steps, handOver])
    .handler((event: APIGatewayProxyEventV2, context: RequestContext) => run(event, context.exchange ?? {}));

const handOver: Middleware = {
  before: ({ context, internal }) => {
    if (context.gone !== undefined) internal.gone = context.gone;
    context.exchange = internal;
  },
};
