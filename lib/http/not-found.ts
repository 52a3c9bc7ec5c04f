import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ApiError, refuse } from '../contract/errors.ts';
import type { RouteRow } from '../contract/routes/route.ts';

/** The pattern of a path such as `/v2/things/{thing_id}` or `/things/{proxy+}`. */
function pathPattern(path: string): RegExp {
  const escaped = path
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{[^/}]+\+\}/g, '.+')
    .replace(/\{[^/}]+\}/g, '[^/]+');
  return new RegExp(`^${escaped}/?$`);
}

/** The methods that `path` answers to, by the alphabet; empty for an unknown path. */
function methodsOf(rows: readonly Pick<RouteRow, 'method' | 'path'>[], path: string): string[] {
  const methods = rows.filter((row) => pathPattern(row.path).test(path)).map((row) => row.method);
  return [...new Set(methods)].sort();
}

/** `rawPath` carries the stage's name unless it is the default one. */
function pathOf({ rawPath, requestContext: { stage } }: APIGatewayProxyEventV2): string {
  return stage !== '$default' && rawPath.startsWith(`/${stage}/`) ? rawPath.slice(stage.length + 1) : rawPath;
}

/** The refusal of what no route took. */
export function notTaken(
  rows: readonly Pick<RouteRow, 'method' | 'path'>[],
  event: APIGatewayProxyEventV2,
): ApiError {
  const allowed = methodsOf(rows, pathOf(event));
  const { method } = event.requestContext.http;
  if (allowed.length === 0 || allowed.includes(method)) return refuse('path_not_found', {});
  return refuse('method_not_allowed', { method, allowed }, { allow: allowed.join(', ') });
}
