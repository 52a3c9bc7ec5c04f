import type { PageRequest } from '../../contract/browser/page.ts';
import type { Deps } from '../../core/deps.ts';
import { findProvider, type OAuthProvider } from '../../core/items/oauth-providers.ts';
import { cookieOf } from './cookie.ts';
import type { AuthRequest, AuthRequestAt } from './items.ts';
import { isSecretOf, readTicket, type Ticket } from './secrets.ts';
import { findAuthRequest } from './store.ts';

/**
 * A part of the page's address. Throws when its route has no parameter of this name, which is a fault of
 * ours.
 */
export function pathParameter({ params }: Pick<PageRequest, 'params'>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The route of this page has no path parameter '${name}'`);
  return value;
}

/**
 * The request that the address of its first page names; undefined for any other text, and once its time is
 * over.
 */
export async function requestOfNonce(
  deps: Pick<Deps, 'table' | 'clock'>,
  text: string,
): Promise<{ item: AuthRequest; ticket: Ticket } | undefined> {
  const ticket = readTicket(text);
  const item = ticket && (await findAuthRequest(deps.table, ticket.tenantId, ticket.authId));
  if (!item || !isSecretOf(item.nonce_hash, ticket.secret) || isExpired(deps, item)) return undefined;
  return { item, ticket };
}

/**
 * The request that waits for this state; undefined for any other text, for a state that was used, and once
 * its time is over.
 */
export async function requestOfState(
  deps: Pick<Deps, 'table' | 'clock'>,
  text: string | undefined,
): Promise<AuthRequestAt<'consenting'> | undefined> {
  const ticket = text === undefined ? undefined : readTicket(text);
  if (ticket === undefined) return undefined;
  const item = await findAuthRequest(deps.table, ticket.tenantId, ticket.authId);
  if (item?.stage !== 'consenting' || isExpired(deps, item)) return undefined;
  return isSecretOf(item.state_hash, ticket.secret) ? item : undefined;
}

/** What is decided by then stays; what is not does not count any more. */
export const isExpired = (
  { clock }: Pick<Deps, 'clock'>,
  { stage, expires_at }: Pick<AuthRequest, 'stage' | 'expires_at'>,
): boolean => stage !== 'completed' && stage !== 'ended' && expires_at <= clock.now();

/** Whether this browser is the one that went on to the provider. */
export const isInBrowserOf = (
  { id, cookie_hash }: { id: string; cookie_hash: string },
  { cookies, baseUrl }: Pick<PageRequest, 'cookies' | 'baseUrl'>,
): boolean => isSecretOf(cookie_hash, cookieOf(cookies, id, baseUrl));

/**
 * The provider as it was when it was asked for; undefined when it has gone, or takes codes elsewhere by now.
 */
export async function providerOf(
  { table }: Pick<Deps, 'table'>,
  item: AuthRequest,
): Promise<OAuthProvider | undefined> {
  const found = await findProvider(table, item.organization_id, item.provider_id);
  return found?.id === item.provider_uid && found.token_url === item.token_url ? found : undefined;
}
