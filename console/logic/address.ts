export type Parts = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
};

/** The path and query of a request; filters that are empty are left out. */
export function addressOf(endpoint: string, { params = {}, query = {} }: Parts): string {
  const path = endpoint
    .slice(endpoint.indexOf(' ') + 1)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(
    Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  ).toString();
  return search === '' ? path : `${path}?${search}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same request for a terminal. The key stands in a variable: a command is copied into many places. */
export function curlOf(origin: string, endpoint: string, parts: Parts): string {
  const method = endpoint.slice(0, endpoint.indexOf(' '));
  const lines = [`curl -sS -X ${method} ${quoted(origin + addressOf(endpoint, parts))}`];
  lines.push('-H "X-Api-Key: $SLIPWAY_API_KEY"');
  if (parts.body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(parts.body))}`);
  }
  return lines.join(' \\\n  ');
}
