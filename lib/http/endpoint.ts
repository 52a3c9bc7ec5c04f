import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { UseCase } from '../app/caller.ts';
import { authenticate as authenticateCaller, type IdentityDeps } from '../app/identity/authenticate.ts';
import { refuse } from '../contract/errors.ts';
import { once } from '../contract/once.ts';
import type { RouteInput, RouteOutput, RouteRow } from '../contract/routes/route.ts';
import { type Authenticate, authentication } from './authentication.ts';
import { authorization } from './authorization.ts';
import { chain, type Handler, inputOf, wrap } from './chain.ts';
import { exchangeOf } from './exchange.ts';
import { idempotency, idempotencyOf } from './idempotency.ts';
import { loggedAuditLog } from './notes.ts';
import { refusals } from './refusals.ts';
import type { Check } from './validate.ts';

type Options = { check?: Check; authenticate?: Authenticate };

/**
 * Makes an endpoint of a row and its use case. The result takes a thunk for the dependencies, called at the first request and
 * kept, so that a module can export a handler before the environment is complete. Options: rules on the body beyond its
 * schema (`check`), another way to prove who asks (`authenticate`, for tests).
 */
export function endpoint<const R extends RouteRow, D>(
  row: R,
  useCase: UseCase<D, RouteInput<R>, RouteOutput<R>>,
  { check, authenticate = authenticateCaller }: Options = {},
): (deps: () => Omit<D, 'idempotency' | 'auditLog'> & IdentityDeps) => Handler {
  const { permission } = row;
  if (permission === 'public') throw new Error(`${row.operation} needs no key: make it with publicEndpoint`);
  return (deps) => {
    const kept = once(deps);
    const run = async (event: APIGatewayProxyEventV2) => {
      const exchange = exchangeOf(event);
      if (exchange.caller === undefined) throw refuse('unauthenticated', {});
      const all = { auditLog: loggedAuditLog, ...kept(), idempotency: idempotencyOf(event) };
      // What a use case may ask for beside this is what the thunk gives, by the type above.
      return useCase(all as unknown as D, inputOf<R>(event, exchange), exchange.caller);
    };
    const identity = [refusals(row, kept), authentication(authenticate, kept), authorization(permission)];
    return wrap(run, chain(row, [...identity, ...idempotency(row, kept)], check));
  };
}
