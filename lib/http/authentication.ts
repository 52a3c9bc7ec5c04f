import type { Caller } from '../app/caller.ts';
import type { Credentials, IdentityDeps } from '../app/identity/authenticate.ts';
import type { KeyUses } from '../app/identity/key-uses.ts';
import type { Step } from './exchange.ts';
import { loggedKeyUses } from './notes.ts';

/** Proves who asks, or throws the refusal (401, 403). */
export type Authenticate = (deps: IdentityDeps, credentials: Credentials, uses: KeyUses) => Promise<Caller>;

/** Finds out who asks. Header names arrive in lower case. */
export const authentication = (authenticate: Authenticate, deps: () => IdentityDeps): Step => ({
  before: async ({ event, internal }) => {
    const credentials = {
      apiKey: event.headers['x-api-key'],
      authorization: event.headers.authorization,
      tenantId: event.headers['x-tenant-id'],
    };
    const { keyUses = loggedKeyUses } = deps();
    const caller = await authenticate(deps(), credentials, keyUses);
    internal.caller = { ...caller, requestId: event.requestContext.requestId };
  },
});
