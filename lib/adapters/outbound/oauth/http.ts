import { allowInsecureRequests, customFetch } from 'oauth4webapi';
import type { AddressRules } from '../addresses.ts';
import { createGuardedFetch, type GuardedFetch } from '../guarded-fetch.ts';
import { hostile, oauthRefusalOf, transient } from './failures.ts';

type Sent = {
  method?: string;
  headers: Record<string, string>;
  body?: string | URLSearchParams | null | undefined;
  signal?: AbortSignal | undefined;
};

/** No answer of an authorization server is larger. */
const ANSWER_SIZE_BYTES_MAX = 64 * 1024;

/** How authorization servers are asked, at the addresses that the installation allows. */
export const answersOf = (rules: AddressRules): GuardedFetch =>
  createGuardedFetch(rules, { sizeBytesMax: ANSWER_SIZE_BYTES_MAX });

/**
 * What the library asks with: the guard alone decides which addresses are reached, plain http of this machine
 * among them.
 */
export const requestOptions = (fetch: GuardedFetch, signal: AbortSignal) => ({
  signal,
  [allowInsecureRequests]: true,
  [customFetch]: (url: string, { method, headers, body, signal: until }: Sent) =>
    fetch(url, {
      ...(method !== undefined && { method }),
      headers,
      ...(body !== undefined && body !== null && { body: textOf(body) }),
      ...(until !== undefined && { signal: until }),
    }),
});

const textOf = (body: string | URLSearchParams): string => body.toString();

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON object in a text; undefined for anything else. */
function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a redirect leads to is never asked, and such an answer is none. */
const isRedirect = (status: number): boolean => status >= 300 && status < 400;
const isLater = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/**
 * The body of an answer that should be a JSON object. Throws the failure that it stands for; some servers say
 * `error` with status 200.
 */
export async function objectOf(response: Response): Promise<Record<string, unknown>> {
  const { status } = response;
  const text = await response.text();
  if (isLater(status)) throw transient(`status ${status}`);
  if (isRedirect(status)) throw hostile('a redirect where an answer was due');
  const body = objectIn(text);
  if (typeof body?.error === 'string' && body.error !== '') throw oauthRefusalOf(body.error);
  if (status < 200 || status > 299) throw hostile(`status ${status} without an error code`);
  if (body === undefined) throw hostile('it is no JSON object');
  return body;
}

/** The answer as the library reads it once more: JSON, whatever content type the server gave. */
export const asJson = (body: Record<string, unknown>, status: number): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

/** The JSON object at an address; undefined when there is none there, whatever stands in the way. */
export async function documentAt(
  fetch: GuardedFetch,
  url: string,
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' }, signal });
    const text = await response.text();
    return response.status === 200 ? objectIn(text) : undefined;
  } catch {
    return undefined;
  }
}
