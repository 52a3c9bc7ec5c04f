import { isIP, isIPv4 } from 'node:net';

/**
 * The bits of an address, after a digit for its family: `4` and 32 bits, or `6` and 128. An IPv4 address in
 * the notation of IPv6 is one of IPv4.
 *
 * CloudFront runs this very text: it keeps to the rules of `ownRedirect`.
 */
export function bitsOf(address: string): string {
  const binary = (value: number, length: number) => ('0'.repeat(length) + value.toString(2)).slice(-length);
  const bytes = (text: string) =>
    text
      .split('.')
      .map((byte) => binary(Number(byte), 8))
      .join('');
  if (!address.includes(':')) return `4${bytes(address)}`;
  const groups = (text: string) =>
    text
      .split(':')
      .map((group) => {
        if (group === '') return '';
        return group.includes('.') ? bytes(group) : binary(parseInt(group, 16), 16);
      })
      .join('');
  const parts = address.split('::');
  const head = groups(parts[0] || '');
  const tail = groups(parts[1] || '');
  const bits = head + '0'.repeat(128 - head.length - tail.length) + tail;
  const isMapped = bits.indexOf('0'.repeat(80) + '1'.repeat(16)) === 0;
  return isMapped ? `4${bits.slice(96)}` : `6${bits}`;
}

/** `203.0.113.0/24`, `2001:db8::/32`, or an address alone. */
export type Range = string;

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** What is wrong with a range of addresses; undefined: nothing. */
export function rangeProblem(range: Range): string | undefined {
  const [address = '', length, ...rest] = range.split('/');
  const bitsMax = isIPv4(address) ? IPV4_BITS : IPV6_BITS;
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bitsMax);
  if (isIP(address) === 0 || address.includes('%') || !isLength || rest.length > 0)
    return `'${range}' is no range of addresses: write 203.0.113.0/24 or 2001:db8::/32`;
  if (!isIPv4(address) && bitsOf(address).startsWith('4'))
    return `'${range}' is IPv4 in the notation of IPv6: write it as IPv4`;
  return undefined;
}

/** What the bits of each address of a range begin with. */
export function prefixOf(range: Range): string {
  const [address = '', length] = range.split('/');
  const bits = bitsOf(address);
  return length === undefined ? bits : bits.slice(0, 1 + Number(length));
}
