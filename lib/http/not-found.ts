import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { refuse } from '../contract/errors.ts';
import type { RouteRow } from '../contract/routes/route.ts';
import type { Handler } from './chain.ts';
import { errorMapping } from './error-mapping.ts';
import type { Result } from './exchange.ts';
import { logger } from './logger.ts';
import { requestId } from './request-id.ts';

/** The pattern of a path such as `/v2/things/{thing_id}`. */
function pathPattern(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^/}]+\}/g, '[^/]+');
  return new RegExp(`^${escaped}/?$`);
}

/** The methods that `path` answers to, by the alphabet; empty for an unknown path. */
export function methodsOf(rows: readonly Pick<RouteRow, 'method' | 'path'>[], path: string): string[] {
  const methods = rows.filter((row) => pathPattern(row.path).test(path)).map((row) => row.method);
  return [...new Set(methods)].sort();
}

/** `rawPath` carries the stage's name unless it is the default one. */
function pathOf({ rawPath, requestContext: { stage } }: APIGatewayProxyEventV2): string {
  return stage !== '$default' && rawPath.startsWith(`/${stage}/`) ? rawPath.slice(stage.length + 1) : rawPath;
}

/** Answers what no route took: 405 for a known path under another method, else 404. */
export function notFound(rows: readonly Pick<RouteRow, 'method' | 'path'>[]): Handler {
  return middy<APIGatewayProxyEventV2, Result>()
    .use([requestId(), errorMapping('fallback', logger)])
    .handler(async (event: APIGatewayProxyEventV2): Promise<Result> => {
      const allowed = methodsOf(rows, pathOf(event));
      const { method } = event.requestContext.http;
      if (allowed.length === 0 || allowed.includes(method)) throw refuse('path_not_found', {});
      throw refuse('method_not_allowed', { method, allowed }, { allow: allowed.join(', ') });
    });
}
