import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ApiError, refuse } from '../contract/errors.ts';
import type { RouteKeys } from '../contract/routes/route.ts';

/** The pattern of a path such as `/v2/things/{thing_id}` or `/things/{proxy+}`. */
function pathPattern(path: string): RegExp {
  const escaped = path
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{[^/{}]+\+\}/g, '.+')
    .replace(/\{[^/{}]+\}/g, '[^/]+');
  return new RegExp(`^${escaped}/?$`);
}

/** How much of a path is written out: a name goes before a parameter, that before all that is left. */
const literalsOf = (path: string): number =>
  path.split('/').filter((part) => !part.startsWith('{')).length - (path.includes('+}') ? 1 : 0);

/**
 * The methods that `path` answers to, by the alphabet; empty for an unknown path. Where it is a name among
 * ids (`/v2/auth/tokens/exists`), those of the ids are not its own.
 */
function methodsOf(routes: readonly RouteKeys[], path: string): string[] {
  const matching = routes.filter((route) => pathPattern(route.path).test(path));
  const most = Math.max(...matching.map((route) => literalsOf(route.path)));
  const own = matching.filter((route) => literalsOf(route.path) === most);
  return [...new Set(own.flatMap(({ keys }) => keys.map((key) => key.slice(0, key.indexOf(' ')))))].sort();
}

/** `rawPath` carries the stage's name unless it is the default one. */
function pathOf({ rawPath, requestContext: { stage } }: APIGatewayProxyEventV2): string {
  return stage !== '$default' && rawPath.startsWith(`/${stage}/`) ? rawPath.slice(stage.length + 1) : rawPath;
}

/** The refusal of what no route took. */
export function notTaken(routes: readonly RouteKeys[], event: APIGatewayProxyEventV2): ApiError {
  const allowed = methodsOf(routes, pathOf(event));
  const { method } = event.requestContext.http;
  if (allowed.length === 0 || allowed.includes(method)) return refuse('path_not_found', {});
  return refuse('method_not_allowed', { method, allowed }, { allow: allowed.join(', ') });
}
