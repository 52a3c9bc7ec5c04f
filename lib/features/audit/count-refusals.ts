import { createHash } from 'node:crypto';
import type { RefusalNote } from '../../contract/note-lines.ts';
import type { Refusal } from '../../core/audit.ts';
import { hourOf } from '../../core/identity/key-uses.ts';
import { networkOf } from '../../core/identity/network.ts';
import type { Known } from '../../core/identity/refused.ts';

/** Stands for all callers beyond those that are counted separately. */
export const VARIOUS = 'various';

/**
 * So many callers are counted apart in an hour, of those who are known and of the others each: somebody may
 * come from many addresses.
 */
export const CALLERS_MAX = 100;

/**
 * So many tenants that one unknown caller names are counted apart: anybody may make them up, and they take no
 * place from other callers.
 */
export const CLAIMS_MAX = 20;

type Kind = 'known' | 'unknown';
export const callerKindOf = ({ key_id }: Pick<RefusalNote, 'key_id'>): Kind =>
  key_id === undefined ? 'unknown' : 'known';

/** Counts are exact up to here; above, a count is passed on each time that it has doubled. */
const EXACT_UP_TO = 10;
const isPassedOn = (count: number): boolean => count <= EXACT_UP_TO || (count & (count - 1)) === 0;

type Counted = { count: number; passedOn: number };
/** By caller, then by what is counted together. */
type Counts = Map<string, Map<string, Counted>>;
const noCounts = (): Record<Kind, Counts> => ({ known: new Map(), unknown: new Map() });

/**
 * Counts the refusals of each caller, and passes on what is to be added to the count that is kept: each of
 * the first few, then seldom, so that who asks in a loop causes next to no writes. What one process remembers
 * is bounded, too.
 */
export function countedRefusals(passOn: (note: RefusalNote) => void): (refusal: Refusal) => void {
  let hour = 0;
  let callers = noCounts();
  return (refusal) => {
    if (hourOf(refusal.at) !== hour) {
      hour = hourOf(refusal.at);
      callers = noCounts();
    }
    const own = noteOf(refusal);
    const counts = callers[callerKindOf(own)];
    const note = bounded(counts, own);
    const places = counts.get(note.caller) ?? new Map<string, Counted>();
    counts.set(note.caller, places);
    const counted = places.get(placeOf(note)) ?? { count: 0, passedOn: 0 };
    counted.count += 1;
    places.set(placeOf(note), counted);
    if (!isPassedOn(counted.count)) return;
    passOn({ ...note, count: counted.count - counted.passedOn });
    counted.passedOn = counted.count;
  };
}

/** The part of a note that distinguishes it from others. */
function bounded(counts: Counts, note: RefusalNote): RefusalNote {
  const places = counts.get(note.caller);
  if (places === undefined) return counts.size < CALLERS_MAX ? note : withoutCaller(note);
  return places.has(placeOf(note)) || places.size < CLAIMS_MAX ? note : withoutClaim(note);
}

/** What is counted together. */
const placeOf = ({ tenant_id, organization_id, claimed_tenant_id }: RefusalNote): string =>
  [tenant_id, organization_id, tenant_id === undefined ? claimed_tenant_id : undefined].join(' ');

function withoutClaim({ claimed_tenant_id: _, ...note }: RefusalNote): RefusalNote {
  return note;
}

/** A refusal as one of somebody: of callers that are not counted apart, only what they were answered is kept. */
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
    ...(known?.organizationId !== undefined && { organization_id: known.organizationId }),
    ...(known !== undefined && { user_id: known.userId, key_id: known.keyId }),
    ...(claimedTenantId !== undefined && { claimed_tenant_id: claimedTenantId }),
    request_id: requestId,
    details: { status, ...(reason !== undefined && { reason }), operation, source_address, credential },
  };
}

/**
 * A known caller is one wherever they are; another one is known by the network alone, for a credential that
 * is not good is anybody's to make up.
 */
function callerOf(status: number, known: Known | undefined, address: string): string {
  const who = known === undefined ? ['from', networkOf(address)] : ['as', known.keyId, known.userId];
  return createHash('sha256')
    .update([status, ...who].join(' '))
    .digest('hex')
    .slice(0, 32);
}
