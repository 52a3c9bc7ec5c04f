/**
 * The cookie of one request for consent: it marks the browser that began it, and is sent back to this host
 * only.
 */

/** As long as a request may take once it was begun. */
export const CONSENT_SECONDS = 600;

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:');

/**
 * Browsers take the prefix only with `Secure`, for the whole host, and from no other host; they want https
 * for it.
 */
const nameOf = (authId: string, baseUrl: string): string =>
  `${isSecure(baseUrl) ? '__Host-' : ''}slipway-consent-${authId}`;

const attributes = (baseUrl: string): string =>
  `Path=/; HttpOnly; SameSite=Lax${isSecure(baseUrl) ? '; Secure' : ''}`;

export const setCookie = (authId: string, baseUrl: string, value: string): string =>
  `${nameOf(authId, baseUrl)}=${value}; ${attributes(baseUrl)}; Max-Age=${CONSENT_SECONDS}`;

export const clearCookie = (authId: string, baseUrl: string): string =>
  `${nameOf(authId, baseUrl)}=; ${attributes(baseUrl)}; Max-Age=0`;

/** What the browser sent back of it; empty when it has none. */
export const cookieOf = (cookies: ReadonlyMap<string, string>, authId: string, baseUrl: string): Uint8Array =>
  Buffer.from(cookies.get(nameOf(authId, baseUrl)) ?? '', 'base64url');
