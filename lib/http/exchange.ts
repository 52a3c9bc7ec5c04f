import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Caller } from '../core/caller.ts';
import type { Idempotency } from '../core/idempotency.ts';

export type Result = APIGatewayProxyStructuredResultV2;

/**
 * What the steps of one request have learned so far: middy's `request.internal`. Each part is set by one step
 * and read by later ones.
 */
export type Exchange = {
  /** In milliseconds of `performance.now()`. Set by `accessLog`. */
  startedAt?: number;
  /** Who asks. Set by `authentication`. */
  caller?: Caller;
  /** The request's place under its `Idempotency-Key`. Set by `idempotency` when there is one. */
  keyed?: KeyedRequest;
  /** The body as parsed JSON. Set by `body`. */
  body?: unknown;
  /** Each part parsed with the row's schema. Set by `validate`. */
  input?: { params: unknown; query: unknown; body: unknown };
  /** Aborts once who asks has left; absent where nobody can tell, as on Lambda. Set by `handOver`. */
  gone?: AbortSignal;
};

/** A request that carries an `Idempotency-Key`. */
export type KeyedRequest = Idempotency & {
  /** Whether the response is recorded already, in the transaction of its change. */
  isKept(): boolean;
  /** Keeps the answer to a request that changed nothing. */
  keep(result: Result): Promise<void>;
  /**
   * What to throw instead of an error: the answer of a concurrent request under the key, where there is one.
   */
  instead(error: unknown): Promise<unknown>;
};

/**
 * Lambda's context; the function in the middle finds the exchange there, as middy hands it no `internal`. A
 * gateway that sees its clients leave says so by `gone`.
 */
export type RequestContext = Context & { exchange?: Exchange; gone?: AbortSignal };

/** A step of a chain; `response` is the answer, from the moment there is one. */
export type Middleware = MiddlewareObj<APIGatewayProxyEventV2, Result, Error, RequestContext, Exchange>;

export type Handler = (event: APIGatewayProxyEventV2, context: RequestContext) => Promise<Result>;
