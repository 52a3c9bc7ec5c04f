const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * The network that an address is of, as one caller has it: an IPv4 address itself, the first 64 bits of an
 * IPv6 address; any other text as it is.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, GROUPS - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
