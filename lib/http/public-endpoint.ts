import { once } from '../contract/once.ts';
import type { RouteInput, RouteOutput, RouteRow } from '../contract/routes/route.ts';
import { chain, type Handler, inputOf, wrap } from './chain.ts';
import { exchangeOf } from './exchange.ts';

/** An endpoint that anybody may call: no caller, and nothing in its bundle but what its use case asks for. */
export function publicEndpoint<const R extends RouteRow & { permission: 'public' }, D = object>(
  row: R,
  useCase: (input: RouteInput<R>, deps: D) => Promise<RouteOutput<R>>,
): (deps: () => D) => Handler {
  return (deps) => {
    const kept = once(deps);
    return wrap(async (event) => useCase(inputOf<R>(event, exchangeOf(event)), kept()), chain(row, []));
  };
}
