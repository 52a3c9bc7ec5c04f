import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { OF_THE_ORIGIN } from '../../../contract/agent-front.ts';
import { ownRedirect, type WayIn } from '../../../contract/own-redirects.ts';
import type { AnswerHead } from './answer.ts';
import { headersIn } from './attempt.ts';
import type { Consent } from './cross-origin.ts';
import type { ProxyTarget } from './target.ts';

/** They speak of one connection only and are never passed on (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set(
  'connection http2-settings keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

/**
 * Without them a message has another end, or another destination: they stay though `Connection` names them.
 */
const NEVER_NAMED_AWAY = new Set(['content-length', 'host']);

const reachesPast: ReadonlySet<string> = new Set(OF_THE_ORIGIN);

/** What only a proxy can know: where a request came from, and what it asked for at first. */
const OF_PROXIES =
  /^(?:forwarded|x-forwarded(?:-.*)?|x-original-.*|x-rewrite-url|x-host|(?:x-real|x-client|x-cluster-client|true-client|cf-connecting|fastly-client)-ip)$/;

/** A request whose headers are passed on. */
export type Passed = {
  /** What its path began with and the server behind does not see. */
  prefix: string;
  /** What the server behind sees, the query included. */
  path: string;
  /** The client's path is the prefix alone, without the slash behind it that the server sees. */
  isBare: boolean;
  /** What the client says of where it came from counts: it is a proxy of the operator's. */
  trustProxy: boolean;
  /** Takes the place of what a server says to pages of other origins. */
  consent?: Consent | undefined;
};

/** Most connections are kept or closed, and say nothing else. */
const NAMES_NOTHING = new Set([undefined, '', 'keep-alive', 'close', 'Keep-Alive', 'Close']);

/** Whether a header belongs to the connection whose header `Connection` is this. */
function isDropped(connection: string | undefined): (name: string) => boolean {
  if (NAMES_NOTHING.has(connection)) return (name) => HOP_BY_HOP.has(name);
  const named = new Set(connection?.split(',').map((name) => name.trim().toLowerCase()));
  return (name) => HOP_BY_HOP.has(name) || (named.has(name) && !NEVER_NAMED_AWAY.has(name));
}

/**
 * Servers that name headers as CGI does read `x_real_ip` as `x-real-ip`: what may not come under the one name
 * may not under the other.
 */
function isDisguised(name: string): boolean {
  if (!name.includes('_')) return false;
  const plain = name.replaceAll('_', '-');
  return HOP_BY_HOP.has(plain) || NEVER_NAMED_AWAY.has(plain) || OF_PROXIES.test(plain);
}

function joined(before: string | string[] | undefined, added: string): string {
  return before === undefined ? added : `${String(before)}, ${added}`;
}

const prefixOf = (told: IncomingHttpHeaders, prefix: string): string =>
  `${String(told['x-forwarded-prefix'] ?? '')}${prefix}`;

/**
 * The headers for the server behind: the client's without hop-by-hop ones, and where the request came from.
 */
export function requestHeaders(
  request: IncomingMessage,
  { prefix, trustProxy }: Passed,
): OutgoingHttpHeaders {
  const { headers } = request;
  const dropped = isDropped(headers.connection);
  const passed: OutgoingHttpHeaders = {};
  for (const name of Object.keys(headers)) {
    if (dropped(name) || isDisguised(name) || name === 'expect') continue;
    if (trustProxy || !OF_PROXIES.test(name)) passed[name] = headers[name];
  }
  // Without it Node would send a GET with a body unframed.
  if (headers['transfer-encoding'] !== undefined) passed['transfer-encoding'] = 'chunked';
  const told = trustProxy ? headers : {};
  const host = told['x-forwarded-host'] ?? headers.host;
  passed['x-forwarded-for'] = joined(told['x-forwarded-for'], request.socket.remoteAddress ?? 'unknown');
  if (host !== undefined) passed['x-forwarded-host'] = host;
  passed['x-forwarded-proto'] = told['x-forwarded-proto'] ?? 'http';
  const allOfPrefix = prefixOf(told, prefix);
  if (allOfPrefix !== '') passed['x-forwarded-prefix'] = allOfPrefix;
  return passed;
}

/**
 * The headers of an upgrade request: as above, and the upgrade itself, which is meant for the server behind.
 */
export function upgradeHeaders(request: IncomingMessage, passed: Passed): OutgoingHttpHeaders {
  return { ...requestHeaders(request, passed), connection: 'Upgrade', upgrade: request.headers.upgrade };
}

const pathOf = (target: string): string => target.replace(/[?#].*$/s, '');

/** How the client has come to the server behind `target`. */
function wayIn(request: IncomingMessage, passed: Passed, target: ProxyTarget): WayIn {
  const { headers } = request;
  const told = passed.trustProxy ? headers : {};
  const prefix = prefixOf(told, passed.prefix);
  const hosts = [headers.host, told['x-forwarded-host']].flatMap((host) => host ?? []).map(String);
  const { host, port } = target.where;
  return {
    prefix,
    hosts,
    serverPath: pathOf(passed.path),
    clientPath: passed.isBare ? prefix : `${prefix}${pathOf(passed.path)}`,
    inner: [host, '127.0.0.1', '[::1]', '0.0.0.0', 'localhost'].map((name) => `${name}:${port}`),
    isSecure: told['x-forwarded-proto'] === 'https',
  };
}

/**
 * The answer's headers as name, value, name, value, … so that repeated ones (Set-Cookie) and their case stay.
 * A redirect to the server itself leads to where its clients reach it; the `Location` of another status is
 * what clients append to their own base.
 */
export function responseHeaders(
  { status, flat: said }: Pick<AnswerHead, 'status' | 'flat'>,
  asked: { request: IncomingMessage; to: Passed; target: ProxyTarget },
  keep: readonly string[] = [],
): string[] {
  const dropped = isDropped(headersIn(said, 'connection'));
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  const { consent } = asked.to;
  const flat = consent === undefined ? [] : Object.entries(consent).flat();
  for (let at = 0; at + 1 < said.length; at += 2) {
    const name = said[at] ?? '';
    const value = said[at + 1] ?? '';
    const lower = name.toLowerCase();
    if (consent !== undefined && lower.startsWith('access-control-')) continue;
    if (reachesPast.has(lower) || (dropped(lower) && !keep.includes(lower))) continue;
    const isOwn = isRedirect && lower === 'location';
    flat.push(name, isOwn ? ownRedirect(value, wayIn(asked.request, asked.to, asked.target)) : value);
  }
  return flat;
}
