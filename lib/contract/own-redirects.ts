/** How a client came to an agent whose server knows nothing of it. */
export type WayIn = {
  /** What the client's path begins with and the server does not see; empty: it sees the whole path. */
  prefix: string;
  /** The path of the request as its client has it, and as the server has. */
  clientPath: string;
  serverPath: string;
  /** The hosts, with their ports, that the client named. */
  hosts: readonly string[];
  /** The hosts, with their ports, of the server itself, which no client reaches. */
  inner: readonly string[];
  /** The client speaks https, whatever the server sees. */
  isSecure: boolean;
};

/**
 * Where the `Location` of a redirect (3xx) must lead a client: a path or an address of the server's own stays
 * under the prefix, anything else is as it was.
 *
 * CloudFront runs this very text, where there is neither `URL` nor anything that another file brings: it
 * imports nothing, and uses nothing but what ECMAScript 5 knows, and of what came later `const`, `let`, arrow
 * functions and templates. CloudFront refuses a function with any other syntax.
 */
export function ownRedirect(location: string, way: WayIn): string {
  const at = location.search(/[?#]/);
  const tail = at < 0 ? '' : location.slice(at);
  // Browsers read a backslash as a slash.
  const head = (at < 0 ? location : location.slice(0, at)).trim().replace(/\\/g, '/');
  const plain = (host: string, isHttps: boolean) =>
    host.toLowerCase().replace(isHttps ? /:(?:443)?$/ : /:(?:80)?$/, '');
  /** The path without `.` and `..`, however they are written. */
  const dotless = (path: string): string => {
    const kept: string[] = [];
    const parts = path.split('/');
    parts.forEach((part, index) => {
      const dots = part.replace(/%2e/gi, '.');
      if (dots !== '.' && dots !== '..') return void kept.push(part);
      if (dots === '..' && kept.length > 1) kept.pop();
      if (index === parts.length - 1) kept.push('');
    });
    return kept.join('/');
  };
  const isUnder = (path: string) => path === way.prefix || path.indexOf(`${way.prefix}/`) === 0;
  const folder = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);

  const absolute = /^(?:(https?):)?\/\/+([^/]+)([\s\S]*)$/i.exec(head);
  let origin = '';
  let path = head;
  let isInner = false;
  if (absolute !== null) {
    const scheme = (absolute[1] || '').toLowerCase();
    const host = absolute[2] || '';
    const isAmong = (some: readonly string[]) =>
      some.some((one) => plain(one, scheme === 'https') === plain(host, scheme === 'https'));
    isInner = isAmong(way.inner);
    if (!isInner && !isAmong(way.hosts)) return location;
    // A server that is asked by http may want https. It never wants the other way: it only does not know.
    if (scheme === 'https' && !way.isSecure && !isInner) origin = `https://${host}`;
    path = absolute[3] || '/';
  } else if (head === '' || /^[a-z][a-z0-9+.-]*:/i.test(head)) {
    return location;
  } else if (head.charAt(0) !== '/') {
    const meant = way.prefix + dotless(folder(way.serverPath) + head);
    return dotless(folder(way.clientPath) + head) === meant ? location : meant + tail;
  }
  path = dotless(path);
  if (isUnder(path)) {
    if (!isInner) return location;
    // Two slashes would begin with a host.
    return (path.indexOf('//') === 0 ? '/.' : '') + path + tail;
  }
  return origin + way.prefix + path + tail;
}
