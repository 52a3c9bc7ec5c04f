import { createHash } from 'node:crypto';
import type { RefusalNote } from '../../contract/note-lines.ts';
import { hourOf } from '../identity/key-uses.ts';
import type { Known } from '../identity/refused.ts';
import { networkOf } from './source-network.ts';

/** One request that was answered with 401 or 403. */
export type Refusal = {
  /** Epoch milliseconds. */
  at: number;
  /** A new UUIDv7. */
  id: string;
  requestId: string;
  status: number;
  /** The error's code, where there is one. */
  reason: string | undefined;
  operation: string;
  sourceAddress: string;
  /** What kind of credential came: never the credential. */
  credential: string;
  /** Whose it is, as far as that is certain. */
  known: Known | undefined;
  /** The tenant that the request named, if it named any. */
  claimedTenantId: string | undefined;
};

/** Stands for all callers beyond those that are told apart. */
export const VARIOUS = 'various';

/** So many callers are told apart in an hour, of those who are known and of the others each: somebody may come from many addresses. */
export const CALLERS_MAX = 100;

type Kind = 'known' | 'unknown';
export const kindOf = ({ key_id }: Pick<RefusalNote, 'key_id'>): Kind =>
  key_id === undefined ? 'unknown' : 'known';

/** Counts are exact up to here; beyond, a caller is told of each time that their number has doubled. */
const EXACT_UP_TO = 10;
const isTold = (count: number): boolean => count <= EXACT_UP_TO || (count & (count - 1)) === 0;

type Counted = { count: number; told: number };

/**
 * Counts the refusals of each caller, and passes on what is to be added to the count that is kept: each of the first few, then seldom, so that who asks
 * in a loop causes next to no writes. What one process remembers is bounded, too.
 */
export function countedRefusals(passOn: (note: RefusalNote) => void): (refusal: Refusal) => void {
  let hour = 0;
  let callers = { known: new Map<string, Counted>(), unknown: new Map<string, Counted>() };
  return (refusal) => {
    if (hourOf(refusal.at) !== hour) {
      hour = hourOf(refusal.at);
      callers = { known: new Map(), unknown: new Map() };
    }
    const own = noteOf(refusal);
    const counts = callers[kindOf(own)];
    const isOneTooMany = !counts.has(placeOf(own)) && counts.size >= CALLERS_MAX;
    const note = isOneTooMany ? withoutCaller(own) : own;
    const counted = counts.get(placeOf(note)) ?? { count: 0, told: 0 };
    counted.count += 1;
    counts.set(placeOf(note), counted);
    if (!isTold(counted.count)) return;
    passOn({ ...note, count: counted.count - counted.told });
    counted.told = counted.count;
  };
}

/** What is counted together. */
const placeOf = ({ caller, tenant_id, organisation_id, claimed_tenant_id }: RefusalNote): string =>
  [caller, tenant_id, organisation_id, tenant_id === undefined ? claimed_tenant_id : ''].join(' ');

/** The same refusal as one of somebody: of all that are not told apart, only what they were answered is kept. */
export function withoutCaller(note: RefusalNote): RefusalNote {
  const { user_id: _, key_id: __, claimed_tenant_id: ___, ...rest } = note;
  const { status, reason, operation } = note.details;
  return { ...rest, caller: VARIOUS, details: { status, reason, operation, credential: VARIOUS } };
}

function noteOf({ at, id, requestId, known, claimedTenantId, ...refusal }: Refusal): RefusalNote {
  const { status, reason, operation, sourceAddress: source_address, credential } = refusal;
  return {
    id,
    hour: hourOf(at),
    count: 1,
    caller: callerOf(status, known, source_address),
    ...(known?.tenantId !== undefined && { tenant_id: known.tenantId }),
    ...(known?.organisationId !== undefined && { organisation_id: known.organisationId }),
    ...(known !== undefined && { user_id: known.userId, key_id: known.keyId }),
    ...(claimedTenantId !== undefined && { claimed_tenant_id: claimedTenantId }),
    request_id: requestId,
    details: { status, ...(reason !== undefined && { reason }), operation, source_address, credential },
  };
}

/** A known caller is one wherever they are; another one is known by the network alone, for a credential that is not good is anybody's to make up. */
function callerOf(status: number, known: Known | undefined, address: string): string {
  const who = known === undefined ? ['from', networkOf(address)] : ['as', known.keyId, known.userId];
  return createHash('sha256')
    .update([status, ...who].join(' '))
    .digest('hex')
    .slice(0, 32);
}
