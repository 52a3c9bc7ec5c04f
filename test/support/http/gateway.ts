import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { onTestFinished } from 'vitest';
import { once } from '../../../lib/contract/once.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import { type ApiHandler, type GatewayOptions, startGateway } from '../../../lib/embedded/gateway/server.ts';

/** A row without access fits every method; the union of them is more than the compiler tries. */
const row = (method: RouteRow['method'], path: `/${string}`) =>
  ({
    operation: `${method}${path}`,
    method,
    path,
    handler: 'functions/api/x.ts',
    access: [],
    area: 'core',
    permission: 'public',
    summary: '',
    success: 200,
    response: null,
  }) as RouteRow;

const routes = [
  row('GET', '/v2/things'),
  row('POST', '/v2/things'),
  row('GET', '/v2/things/{thing_id}'),
  row('GET', '/v2/things/special'),
  row('POST', '/v2/things/{thing_id}/parts/{part_id}'),
];

type Seen = { row: RouteRow | undefined; event: APIGatewayProxyEventV2; context: Context };

/** A gateway over a few rows on a free port; whatever it calls is the one handler, and is recorded. */
export async function gateway(handler?: ApiHandler, more: Partial<GatewayOptions> = {}) {
  const seen: Seen[] = [];
  const errors: unknown[] = [];
  const opened = await startGateway({
    port: 0,
    routes,
    handlerOf: async (found) => async (event, context) => {
      seen.push({ row: found, event, context });
      return handler === undefined ? { statusCode: 200, body: '{}' } : handler(event, context);
    },
    serveBlob: async () => false,
    onError: (error) => errors.push(error),
    ...more,
  });
  const close = once(() => opened.close());
  onTestFinished(close);
  return { url: `http://127.0.0.1:${opened.port}`, port: opened.port, seen, errors, close };
}
