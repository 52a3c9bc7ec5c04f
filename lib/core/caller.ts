import type { Role } from '../contract/roles.ts';

/**
 * What a key is made with: another key, a session of the console, or a bearer token. `endsAt`, in epoch
 * milliseconds: when that key ends, or the one that the session was opened with; absent: never.
 */
export type KeyMaker = { kind: 'key' | 'session' | 'bearer'; endsAt?: number };

/**
 * Who asks, for people who read of it later: somebody of the identity provider by their name there, a key by
 * its own, or a program that works for nobody in particular.
 */
export type Actor = { kind: 'person' | 'key' | 'service'; name: string };

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
  /** Absent where no request asks. */
  actor?: Actor;
  /** Of the request that is answered; absent where no request asks. */
  requestId?: string;
};

/** A use case: a typed function that tests call without faking an event. */
export type UseCase<D, Input, Output> = (deps: D, input: Input, caller: Caller) => Promise<Output>;
