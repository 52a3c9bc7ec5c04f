import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Caller } from '../core/caller.ts';
import type { Credentials, IdentityDeps } from '../core/identity/authenticate.ts';
import type { KeyUses } from '../core/identity/key-uses.ts';
import type { Middleware } from './exchange.ts';
import { loggedKeyUses } from './notes.ts';

/** Proves who asks, or throws the refusal (401, 403). */
export type Authenticate = (deps: IdentityDeps, credentials: Credentials, uses: KeyUses) => Promise<Caller>;

/** What a request proves who asks with. */
export const credentialsIn = ({ headers }: APIGatewayProxyEventV2): Credentials => ({
  apiKey: headers['x-api-key'],
  authorization: headers.authorization,
  tenantId: headers['x-tenant-id'],
});

/** Finds out who asks. Header names arrive in lower case. */
export const authentication = (authenticate: Authenticate, deps: () => IdentityDeps): Middleware => ({
  before: async ({ event, internal }) => {
    const { keyUses = loggedKeyUses } = deps();
    const caller = await authenticate(deps(), credentialsIn(event), keyUses);
    internal.caller = { ...caller, requestId: event.requestContext.requestId };
  },
});
