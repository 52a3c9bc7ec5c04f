import { BlockList, isIP } from 'node:net';

/** Which addresses that requests name may be connected to, beyond public ones. */
export type AddressRules = {
  /** The operator's internal hosts, in lower case, without ports: whatever they resolve to. */
  allowedHosts: readonly string[];
  /** This very machine: where builds and agents run on it as well. Plain http goes there only. */
  loopback: boolean;
};

/** Of IPv4, what is no single public host (IANA's special-purpose registry), and multicast. */
const specialV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
/**
 * Public hosts of IPv6 are in 2000::/3, but for protocol assignments (Teredo among them), documentation, and
 * 6to4, which leads on to any IPv4 address. Everything else is local, or IPv4 in another form.
 */
const specialV6 = [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

function blockListOf(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [net, bits] of subnets) list.addSubnet(net, bits, family);
  return list;
}

/** One list a family: a list takes every IPv4 address for the IPv6 one that stands for it as well. */
const special = { ipv4: blockListOf(specialV4, 'ipv4'), ipv6: blockListOf(specialV6, 'ipv6') };
const loopback = { ipv4: blockListOf([['127.0.0.0', 8]], 'ipv4'), ipv6: blockListOf([['::1', 128]], 'ipv6') };

function isIn(lists: { ipv4: BlockList; ipv6: BlockList }, address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return lists[family].check(address, family);
}

/** The host of a URL without brackets and a final dot, in lower case. */
const hostOf = ({ hostname }: Pick<URL, 'hostname'>): string =>
  hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/** Whether `address`, which `url`'s host stands for, may be connected to for it. */
export function mayReach(
  url: Pick<URL, 'hostname' | 'protocol'>,
  address: string,
  rules: AddressRules,
): boolean {
  const local = isIn(loopback, address);
  if (url.protocol === 'http:') return rules.loopback && local;
  if (rules.allowedHosts.includes(hostOf(url))) return true;
  return local ? rules.loopback : !isIn(special, address);
}

/** The address that a host is by itself, without a resolver being asked. */
export function literalAddress(url: Pick<URL, 'hostname'>): string | undefined {
  const host = hostOf(url);
  if (isIP(host) !== 0) return host;
  return host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : undefined;
}

/**
 * Why a request may not name this host, when that can be told without asking a resolver. The words end a
 * sentence about the address.
 */
export function hostProblem(
  url: Pick<URL, 'hostname' | 'protocol'>,
  rules: AddressRules,
): string | undefined {
  const address = literalAddress(url);
  return address === undefined || mayReach(url, address, rules) ? undefined : notPublic(hostOf(url));
}

export const notPublic = (host: string): string =>
  `${host} has no public address, and this installation does not allow it`;

const NO_TLS = 'only https is spoken here';
const PLAIN_ELSEWHERE =
  'plain http goes to this very machine only, as in http://localhost:8080; any other host needs https';

/**
 * Why a request may not name this address, as far as that can be told without asking a resolver: without TLS
 * only this very machine is spoken to, where agents run on it.
 */
export function addressProblem(
  url: Pick<URL, 'hostname' | 'protocol'>,
  rules: AddressRules,
): string | undefined {
  return url.protocol === 'https:' ? hostProblem(url, rules) : plainProblem(url, rules);
}

/** Why a request may not name an address that only browsers go to: with TLS, any host may be named. */
export function plainProblem(
  url: Pick<URL, 'hostname' | 'protocol'>,
  rules: AddressRules,
): string | undefined {
  if (url.protocol === 'https:') return undefined;
  if (url.protocol !== 'http:' || !rules.loopback) return NO_TLS;
  const address = literalAddress(url);
  return address !== undefined && isIn(loopback, address) ? undefined : PLAIN_ELSEWHERE;
}
