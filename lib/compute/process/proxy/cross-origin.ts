import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { AnswerHead } from './answer.ts';
import { headersIn } from './attempt.ts';
import type { ProxyRoute } from './route.ts';

/** What an answer to a preflight says of what may be asked. */
const CONSENTS = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-private-network',
] as const;

/**
 * Whether an origin is that of the console, whose pages people speak with any server from. `apiUrl`: where
 * the API is. This machine has several names.
 */
export function isConsole(origin: string, apiUrl: string): boolean {
  const [page, api] = [URL.parse(origin), URL.parse(apiUrl)];
  if (page === null || api === null) return false;
  const areHere = HERE.includes(page.hostname) && HERE.includes(api.hostname);
  return page.origin === api.origin || (areHere && page.protocol === api.protocol && page.port === api.port);
}

const HERE: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

const CONSENT_SECONDS = '600';

/**
 * What the console's pages are told of any server: that they may ask it as a program would, without
 * cookies. A server says nothing of that itself, or says it of other pages. Undefined: no page of the
 * console asks.
 */
export function consoleConsent(
  { headers }: IncomingMessage,
  apiUrl: string | undefined,
): Consent | undefined {
  const { origin } = headers;
  if (origin === undefined || apiUrl === undefined || !isConsole(origin, apiUrl)) return undefined;
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': '*',
    vary: 'Origin',
  };
}

/** The answer to a preflight of the console. Undefined: it is no preflight. */
export function consolePreflight(request: IncomingMessage, consent: Consent): Consent | undefined {
  if (!isPreflight(request)) return undefined;
  const { headers } = request;
  const asked = headers['access-control-request-headers'];
  return {
    ...consent,
    'access-control-allow-methods': headers['access-control-request-method'] ?? '',
    ...(asked !== undefined && { 'access-control-allow-headers': asked }),
    'access-control-max-age': CONSENT_SECONDS,
  };
}

/** What a server allows the pages of an origin. */
export type Consent = Readonly<Record<string, string>>;

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/**
 * What the server that answers now has said to a preflight, if this is one. Undefined: it allows nothing.
 */
export function consentOf(
  request: IncomingMessage,
  { status, flat }: Pick<AnswerHead, 'status' | 'flat'>,
): { origin: string; consent: Consent | undefined } | undefined {
  const { origin } = request.headers;
  if (!isPreflight(request) || origin === undefined) return undefined;
  const said = CONSENTS.flatMap((name) => {
    const value = headersIn(flat, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const isAllowed = status < 300 && said.some(([name]) => name === 'access-control-allow-origin');
  return { origin, consent: isAllowed ? Object.fromEntries(said) : undefined };
}

/**
 * The headers by which a page of another origin may read what the proxy itself says: that nothing serves
 * here, which is no secret.
 */
export function readableBy({ headers: { origin } }: IncomingMessage): OutgoingHttpHeaders {
  if (origin === undefined) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'Retry-After',
    vary: 'Origin',
  };
}

/**
 * The answer to a preflight for which there is no server. Where no deployment is, every question is
 * allowed: it will be answered with 404. Where one is, only what its server has allowed itself: the
 * question that follows may reach a server that has come back. Undefined: this is no such preflight.
 */
export function preflightAnswer(
  request: IncomingMessage,
  route: ProxyRoute | undefined,
): OutgoingHttpHeaders | undefined {
  const { origin } = request.headers;
  if (!isPreflight(request) || origin === undefined) return undefined;
  if (route !== undefined) {
    const consent = route.consentTo(origin);
    return consent && { ...consent, vary: 'Origin' };
  }
  const { headers } = request;
  const asked = headers['access-control-request-headers'];
  return {
    ...readableBy(request),
    'access-control-allow-methods': headers['access-control-request-method'],
    ...(asked !== undefined && { 'access-control-allow-headers': asked }),
    'access-control-max-age': '0',
  };
}
