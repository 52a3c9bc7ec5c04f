import { isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';

/** A host as it stands in a URL or a `Host` header: a name or an address, with a port or without. */
const AUTHORITY = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{0,5})?$/i;

/**
 * The one spelling of the host in `authority`, without its port and a name's final dot: `LocalHost.:4400` is
 * `localhost`, `127.1` is `127.0.0.1`. Undefined when it names no host.
 */
export function hostNameOf(authority: string): string | undefined {
  const url = AUTHORITY.test(authority) ? URL.parse(`http://${authority}`) : null;
  return url?.hostname.replace(/\.$/, '') || undefined;
}

/**
 * Whether a host, as `hostNameOf` spells it, can only mean the machine that asks. Browsers answer these names
 * themselves, so no DNS server can move a page of its own to one of them.
 */
export function isLoopbackHost(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    (isIPv4(host) && host.startsWith('127.'))
  );
}

/** The hosts of a list with commas, as `hostNameOf` spells them, and the entries that name none. */
export function readHosts(text: string): { hosts: string[]; wrong: string[] } {
  const entries = text.split(',').flatMap((entry) => entry.trim() || []);
  const hosts = entries.flatMap((entry) => hostNameOf(entry) ?? []);
  return { hosts, wrong: entries.filter((entry) => hostNameOf(entry) === undefined) };
}

/** What the entries of a list that `readHosts` takes must be, unlike this one; goes on after `must be`. */
export function hostsWanted(wrong: string): string {
  const isAscii = /^[\0-\x7f]*$/.test(wrong);
  const punycode = `in punycode, such as ${domainToASCII(wrong) || 'xn--bcher-kva.example'}`;
  return `host names separated by commas, ${isAscii ? 'such as slipway.example' : punycode}, not '${wrong}'`;
}
