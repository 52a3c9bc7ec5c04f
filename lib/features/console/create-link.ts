import { randomBytes } from 'node:crypto';
import { refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { hashOf } from '../../core/identity/api-key.ts';
import { type OwnKey, ownKey } from '../../core/identity/own-key.ts';
import { isOfSession } from '../../core/items/api-keys.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import type { createConsoleLink as row } from './routes.ts';
import { putConsoleLink } from './store.ts';

/** Long enough to change to the browser, too short to be found later in a terminal's history. */
export const LINK_MILLISECONDS = 300_000;
const CODE_BYTES = 32;

/**
 * Makes a link that signs in to the console once. The code stands behind `#`, so no request carries it and no
 * server logs it; only its hash is stored. Throws `state_forbids` for what is no key that could be revoked.
 */
export async function createConsoleLink(
  deps: Pick<Deps, 'table' | 'clock'>,
  { baseUrl }: Pick<RouteInput<typeof row>, 'baseUrl'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const { url, expiresAt } = await newConsoleLink(deps, baseUrl, caller);
  return { url, expires_at: new Date(expiresAt).toISOString() };
}

/** Makes a link, and returns the id that it is stored under too; `expiresAt` in epoch milliseconds. */
export async function newConsoleLink(
  deps: Pick<Deps, 'table' | 'clock'>,
  baseUrl: string,
  caller: Caller,
): Promise<{ id: string; url: string; expiresAt: number }> {
  const maker = await makerOf(deps, caller);
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const id = deps.clock.orderedId();
  const expiresAt = deps.clock.now() + LINK_MILLISECONDS;
  const link = {
    v: 1,
    entity: 'console_link',
    id,
    key_hash: maker.row.hash,
    tenant_id: caller.tenantId,
    expires_at: expiresAt,
    ttl: Math.ceil(expiresAt / 1000),
  } as const;
  const audit = auditMarkOf(deps, { action: 'console_link.create' }, caller);
  await transact(deps.table, [putConsoleLink(link, hashOf(code), audit)]);
  return { id, url: `${baseUrl}/console/#code=${code}`, expiresAt };
}

/** A session must not outlive what it was made with, so it makes no other. */
async function makerOf(deps: Pick<Deps, 'table'>, caller: Caller): Promise<OwnKey> {
  const own = await ownKey(deps, caller);
  if (own === undefined)
    throw refuse('state_forbids', {
      reason: 'A link to the console is made with an API key; a bearer token signs in by itself.',
    });
  if (isOfSession(own.key))
    throw refuse('state_forbids', {
      reason: 'This key is of a session of the console, which makes no other: use an API key.',
    });
  return own;
}
