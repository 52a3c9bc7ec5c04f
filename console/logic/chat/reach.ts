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

/** Whether a path stays with the agent: dots in it may lead to another one at the same origin. */
export function isWithin(url: string, path: string): boolean {
  const [own, target] = [URL.parse(agentUrl(url, '/')), URL.parse(agentUrl(url, path))];
  return own !== null && target?.origin === own.origin && target.pathname.startsWith(own.pathname);
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '[::1]';

/**
 * Whether a page at this host may ask the agent at this address itself. To a page of another machine
 * `localhost` is not the machine that agents run on, and what is meant for them would go to a stranger.
 */
export function isDirect(url: string, allowed: readonly string[], pageHost: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || (isLoopback(parsed.hostname) && !isLoopback(pageHost))) return false;
  return isAmong(parsed.origin, allowed);
}

/** LangSmith Studio runs in the browser: it reaches what the browser trusts. */
export function studioAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return undefined;
  if (parsed.protocol !== 'https:' && !isLoopback(parsed.hostname)) return undefined;
  const query = new URLSearchParams({ baseUrl: url.replace(/\/+$/, '') });
  return `https://smith.langchain.com/studio/?${query.toString()}`;
}
