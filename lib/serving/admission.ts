import type { IncomingMessage } from 'node:http';
import { hostNameOf } from './hosts.ts';

/** Why a request is not answered: its status, and a sentence for a person. */
export type HttpRefusal = { status: number; detail: string };

/** `code`: the name of the problem, for programs. */
export type NamedRefusal = HttpRefusal & { code: string };

/** `http://host/path`: meant for proxies, and to be understood by every server (RFC 9112 §3.2.2). */
const ABSOLUTE_TARGET = /^https?:\/\/([^/?#]*)(.*)$/is;

/** Enough of what a client has sent to recognise it by. */
const QUOTED_CHARACTERS_MAX = 253;

const quoted = (text: string): string => `'${text.slice(0, QUOTED_CHARACTERS_MAX)}'`;

/**
 * Refuses what must not reach any route: a request whose `Host` this server does not answer for, or that can
 * be read in two ways. A page whose name a DNS server has moved to this machine asks with that name in
 * `Host`, and the browser lets it read what is answered.
 *
 * `isServed` is asked with the host's one spelling, and `url` of the request is its path by then. `wayOut`
 * says, as a whole sentence, what must be done for another host.
 */
export function httpRefusalOf(
  request: IncomingMessage,
  isServed: (host: string) => boolean,
  wayOut: string,
): NamedRefusal | undefined {
  const given = request.headersDistinct.host ?? [];
  const [authority = ''] = given;
  const host = given.length === 1 ? hostNameOf(authority) : undefined;
  if (host === undefined) {
    const found = given.length === 0 ? 'none' : given.map(quoted).join(', ');
    const detail = `A request names one host in its 'Host' header; this one names ${found}.`;
    return { status: 400, code: 'malformed_request', detail };
  }
  const problem = targetProblem(request, host) ?? codingProblem(request);
  if (problem !== undefined) return problem;
  if (isServed(host)) return undefined;
  return {
    status: 421,
    code: 'host_not_served',
    detail: `This server does not answer for the host ${quoted(host)}. ${wayOut}`,
  };
}

/** Reduces an absolute target to its path. The host in it counts more than `Host`, so the two must agree. */
function targetProblem(request: IncomingMessage, host: string): NamedRefusal | undefined {
  const [, authority, rest = ''] = ABSOLUTE_TARGET.exec(request.url ?? '') ?? [];
  if (authority === undefined) return undefined;
  if (hostNameOf(authority) !== host) {
    const detail = `The request is for ${quoted(authority)}, and its 'Host' header names ${quoted(host)}.`;
    return { status: 400, code: 'malformed_request', detail };
  }
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return undefined;
}

/**
 * Node reads `gzip, chunked` as far as the chunks, and nobody behind it would know that they are compressed.
 */
function codingProblem({ headers }: IncomingMessage): NamedRefusal | undefined {
  const coding = headers['transfer-encoding'];
  if (coding === undefined || /^chunked$/i.test(coding)) return undefined;
  return {
    status: 501,
    code: 'transfer_coding',
    detail: `The transfer coding ${quoted(coding)} is not supported; 'chunked' is.`,
  };
}
