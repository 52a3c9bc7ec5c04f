import { assistantRoutes } from './assistants.ts';
import { healthRoutes } from './health.ts';
import { internalRoutes } from './internal.ts';
import { lackingRoutes } from './lacking.ts';
import type { Handler } from './request.ts';
import { runRoutes } from './runs.ts';
import { stateRoutes } from './state.ts';
import { storeRoutes } from './store.ts';
import { threadRoutes } from './threads.ts';

type Route = { readonly segments: readonly string[]; readonly handler: Handler; readonly isOpen: boolean };

/** What a path is answered by. Words come before ids: `/threads/search` is no thread. */
export type Found = {
  readonly handler: Handler;
  readonly params: Record<string, string>;
  readonly isOpen: boolean;
};

/** Those that ask nothing of the project's own authentication. */
const openRoutes = [...healthRoutes, ...internalRoutes];
const routes = new Map<string, Route[]>();
for (const [method, path, handler] of [
  ...healthRoutes,
  ...internalRoutes,
  ...assistantRoutes,
  ...threadRoutes,
  ...runRoutes,
  ...stateRoutes,
  ...storeRoutes,
  ...lackingRoutes,
]) {
  const isOpen = openRoutes.some(([, open]) => open === path);
  const route: Route = { segments: path.split('/').slice(1), handler, isOpen };
  routes.set(method, [...(routes.get(method) ?? []), route]);
}
const params = ({ segments }: Route): number => segments.filter((segment) => segment.startsWith(':')).length;
for (const list of routes.values()) list.sort((one, other) => params(one) - params(other));

/** Undefined: there is no such path for the method. */
export function routeFor(method: string, path: string): Found | undefined {
  const segments = path.replace(/\/$/, '').split('/').slice(1);
  for (const route of routes.get(method) ?? []) {
    const found = paramsOf(route, segments);
    if (found !== undefined) return { handler: route.handler, params: found, isOpen: route.isOpen };
  }
  return undefined;
}

function paramsOf(route: Route, segments: readonly string[]): Record<string, string> | undefined {
  if (route.segments.length !== segments.length) return undefined;
  const found: Record<string, string> = {};
  for (const [at, wanted] of route.segments.entries()) {
    const segment = segments[at] ?? '';
    if (!wanted.startsWith(':')) {
      if (segment !== wanted) return undefined;
    } else {
      try {
        found[wanted.slice(1)] = decodeURIComponent(segment);
      } catch {
        return undefined;
      }
    }
  }
  return found;
}
