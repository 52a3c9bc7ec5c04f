import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { RouteInput, RouteRow } from '../contract/routes/route.ts';
import type { Exchange } from './exchange.ts';

/** What a use case is given of a request that went through the chain. */
export function inputOf<R extends RouteRow>(
  event: APIGatewayProxyEventV2,
  { input, gone }: Exchange,
): RouteInput<R> {
  const all = {
    ...input,
    headers: meaningfulHeaders(event),
    requestId: event.requestContext.requestId,
    sourceAddress: event.requestContext.http.sourceIp,
    baseUrl: baseUrl(event),
    gone,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `validate` has parsed each part with this row's schemas
  return all as RouteInput<R>;
}

function meaningfulHeaders({ headers }: APIGatewayProxyEventV2): RouteInput<RouteRow>['headers'] {
  const picked = {
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    lastEventId: headers['last-event-id'],
    accept: headers.accept,
    acceptEncoding: headers['accept-encoding'],
    tenantId: headers['x-tenant-id'],
  };
  // An empty one is an absent one, as in a query.
  return Object.fromEntries(Object.entries(picked).filter(([, value]) => value?.trim()));
}

/**
 * The address clients reach us at, without a trailing slash: the configured one, else the gateway's own
 * domain with its stage. Never the Host header, which a client chooses. Plain http is believed of a loopback
 * gateway only.
 */
export function baseUrl(
  event: APIGatewayProxyEventV2,
  configured: string | undefined = process.env.SLIPWAY_BASE_URL,
): string {
  if (configured !== undefined && configured !== '') return configured.replace(/\/+$/, '');
  const { domainName, stage } = event.requestContext;
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(domainName);
  const scheme = isLoopback && event.headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  return `${scheme}://${domainName}${stage === '$default' || stage === '' ? '' : `/${stage}`}`;
}
