import type { Role } from '../contract/roles.ts';
import type { KeyMaker } from '../domain/key-expiry.ts';

/** Who asks: proved by the authentication of the HTTP chain, never taken from the request's own words. */
export type Caller = {
  tenantId: string;
  organizationId: string;
  userId: string;
  keyId: string;
  role: Role;
  /** Set for role `listener`: the only listener this key may speak for. */
  listenerId: string | undefined;
  /** What keys that the caller makes end with. */
  maker: KeyMaker;
  /** Of the request that is answered; absent where no request asks. */
  requestId?: string;
};

/** A use case: a typed function that tests call without faking an event. */
export type UseCase<D, Input, Output> = (deps: D, input: Input, caller: Caller) => Promise<Output>;
