import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Caller } from '../app/caller.ts';

/** What the chain has learned about one request so far; each part is set by one middleware and read by later ones. */
export type Exchange = {
  requestId: string;
  caller?: Caller;
  body?: unknown;
  input?: { params: unknown; query: unknown; body: unknown };
};

/** Kept beside the event, not in it: events belong to who made them. */
const exchanges = new WeakMap<object, Exchange>();

/** Begins (once) and gives the exchange of this event. */
export function exchangeOf(event: APIGatewayProxyEventV2): Exchange {
  const known = exchanges.get(event);
  if (known !== undefined) return known;
  const begun: Exchange = { requestId: event.requestContext.requestId };
  exchanges.set(event, begun);
  return begun;
}

export type Result = APIGatewayProxyStructuredResultV2;
/** A step of the chain. `response` is the use case's output until `respond` has made the answer of it. */
export type Step = MiddlewareObj<APIGatewayProxyEventV2, Result>;
