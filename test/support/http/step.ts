import type { Request } from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Exchange, RequestContext, Result } from '../../../lib/http/exchange.ts';
import { lambdaContext } from './event.ts';

/** What middy hands to one step of the chain. */
export const stepRequest = (
  event: APIGatewayProxyEventV2,
  changes: { response?: Result; error?: Error; internal?: Exchange } = {},
): Request<APIGatewayProxyEventV2, Result, Error, RequestContext, Exchange> => ({
  event,
  context: lambdaContext(),
  response: changes.response,
  error: changes.error,
  internal: changes.internal ?? {},
});
