/** How the page gets to an agent: from the browser to the agent's own address, or by way of the API. */

/** Whether an origin is among those that the page may ask; a host may begin with `*.`. */
export function isAmong(origin: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => {
    const at = pattern.indexOf('//*.');
    if (at === -1) return pattern === origin;
    const [scheme, rest] = [pattern.slice(0, at + 2), pattern.slice(at + '//*'.length)];
    return origin.startsWith(scheme) && origin.endsWith(rest) && origin.length > scheme.length + rest.length;
  });
}

/** The address of a path of an agent; its own address may have a path too, and no query. */
export const agentUrl = (url: string, path: string): string => `${url.replace(/\/+$/, '')}${path}`;

/** Whether the page may ask the agent at this address itself. */
export const isDirect = (url: string | null, allowed: readonly string[]): boolean => {
  const parsed = url === null ? null : URL.parse(url);
  return parsed !== null && isAmong(parsed.origin, allowed);
};

/** LangSmith Studio runs in the browser: it reaches what the browser trusts. */
export function studioAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return undefined;
  const { protocol, hostname } = parsed;
  const isHere = hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1';
  if (protocol !== 'https:' && !isHere) return undefined;
  const query = new URLSearchParams({ baseUrl: url.replace(/\/+$/, '') });
  return `https://smith.langchain.com/studio/?${query.toString()}`;
}
