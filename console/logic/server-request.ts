/** A request to a deployment's server as it is typed in. */
export type TypedRequest = { method: string; path: string; headers: string; body: string };

export type ServerHeader = { name: string; value: string };

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** What an agent server is asked first: whether it is there, and to run an agent and tell how that goes. */
export const presets: { title: string; request: TypedRequest }[] = [
  { title: 'Health check', request: { method: 'GET', path: '/ok', headers: '', body: '' } },
  {
    title: 'Run an agent',
    request: {
      method: 'POST',
      path: '/runs/stream',
      headers: 'Content-Type: application/json',
      body: JSON.stringify(
        {
          assistant_id: 'agent',
          input: { messages: [{ role: 'user', content: 'Hello' }] },
          stream_mode: 'messages-tuple',
        },
        null,
        2,
      ),
    },
  },
];

/** The lines of the field, `Name: value` each; what is no such line is left out. */
export const headersIn = (text: string): ServerHeader[] =>
  text.split('\n').flatMap((line) => {
    const found = /^([^\s:]+)\s*:\s*(.*)$/s.exec(line.trim());
    return found === null ? [] : [{ name: found[1] ?? '', value: found[2] ?? '' }];
  });

/** Proves who asks, so it goes to a server from the browser alone: the API passes it on to none. */
export const isKeptBack = (name: string): boolean =>
  ['authorization', 'cookie', 'x-api-key', 'x-tenant-id'].includes(name.toLowerCase());

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same request for a terminal, to the server itself: without any key of this API. */
export function serverCurl(serverUrl: string, { method, path, headers, body }: TypedRequest): string {
  const lines = [`curl -sS -N -X ${method} ${quoted(serverUrl.replace(/\/$/, '') + path)}`];
  for (const { name, value } of headersIn(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (method !== 'GET' && body !== '') lines.push(`-d ${quoted(body)}`);
  return lines.join(' \\\n  ');
}
