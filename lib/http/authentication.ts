import type { Caller } from '../app/caller.ts';
import { exchangeOf, type Step } from './exchange.ts';

export type Credentials = { apiKey: string | undefined; tenantId: string | undefined };
/** Proves who asks, or throws the refusal (401, 403). */
export type Authenticate<A> = (deps: A, credentials: Credentials) => Promise<Caller>;

/** Header names arrive in lower case. */
export const authentication = <A>(authenticate: Authenticate<A>, deps: () => A): Step => ({
  before: async ({ event }) => {
    const credentials = { apiKey: event.headers['x-api-key'], tenantId: event.headers['x-tenant-id'] };
    exchangeOf(event).caller = await authenticate(deps(), credentials);
  },
});
