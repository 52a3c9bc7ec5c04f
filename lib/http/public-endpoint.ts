import type { RouteInput, RouteOutput, RouteRow } from '../contract/routes/route.ts';
import { chain, type Handler, inputOf, wrap } from './chain.ts';
import { exchangeOf } from './exchange.ts';

/** An endpoint that anybody may call: no dependencies, no caller, and nothing of the SDK in its bundle. */
export function publicEndpoint<const R extends RouteRow & { permission: 'public' }>(
  row: R,
  useCase: (input: RouteInput<R>) => Promise<RouteOutput<R>>,
): () => Handler {
  return () => wrap(async (event) => useCase(inputOf<R>(event, exchangeOf(event))), chain(row, []));
}
