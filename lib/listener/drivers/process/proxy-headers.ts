import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/** They speak of one connection only and are never passed on (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

function namedByConnection(message: IncomingMessage): string[] {
  return (message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
}

function isDropped(message: IncomingMessage): (name: string) => boolean {
  const named = new Set(namedByConnection(message));
  return (name) => HOP_BY_HOP.has(name) || named.has(name);
}

function joined(before: string | string[] | undefined, added: string): string {
  return before === undefined ? added : `${String(before)}, ${added}`;
}

/** The headers for the server behind: the client's without hop-by-hop ones, and where the request came from. */
export function requestHeaders(request: IncomingMessage, prefix: string): OutgoingHttpHeaders {
  const dropped = isDropped(request);
  const { headers } = request;
  const kept = Object.entries(headers).filter(([name]) => !dropped(name) && name !== 'expect');
  const host = headers['x-forwarded-host'] ?? headers.host;
  return {
    ...Object.fromEntries(kept),
    // Without it Node would send a GET with a body unframed.
    ...(headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }),
    'x-forwarded-for': joined(headers['x-forwarded-for'], request.socket.remoteAddress ?? 'unknown'),
    ...(host === undefined ? {} : { 'x-forwarded-host': host }),
    'x-forwarded-proto': headers['x-forwarded-proto'] ?? 'http',
    'x-forwarded-prefix': `${String(headers['x-forwarded-prefix'] ?? '')}${prefix}`,
  };
}

/** The headers of an upgrade request: as above, and the upgrade itself, which is meant for the server behind. */
export function upgradeHeaders(request: IncomingMessage, prefix: string): OutgoingHttpHeaders {
  return { ...requestHeaders(request, prefix), connection: 'Upgrade', upgrade: request.headers.upgrade };
}

/** The answer's headers as name, value, name, value, … so that repeated ones (Set-Cookie) and their case stay. */
export function responseHeaders(response: IncomingMessage, keep: readonly string[] = []): string[] {
  const dropped = isDropped(response);
  const flat: string[] = [];
  for (let at = 0; at + 1 < response.rawHeaders.length; at += 2) {
    const name = response.rawHeaders[at] ?? '';
    const lower = name.toLowerCase();
    if (!dropped(lower) || keep.includes(lower)) flat.push(name, response.rawHeaders[at + 1] ?? '');
  }
  return flat;
}
