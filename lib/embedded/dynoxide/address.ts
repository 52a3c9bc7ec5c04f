import { randomInt } from 'node:crypto';

/** The address of this machine that everybody knows. */
const WELL_KNOWN = '127.0.0.1';

/**
 * The address that the database listens on. It has no authentication and answers pages of every origin, so on
 * Linux, where all of 127.0.0.0/8 is this machine, it gets a random address: a web page can reach 127.0.0.1,
 * but cannot try 16 million addresses with 13,000 ports each. Elsewhere 127.0.0.1 is the only one.
 */
export function databaseHost(platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'linux') return WELL_KNOWN;
  // 0 and 255 are left out; 127.0.x.x is where other programs are (Debian's host name, the resolver of
  // systemd).
  const octet = () => randomInt(1, 255);
  return `127.${octet()}.${octet()}.${octet()}`;
}

/** Who can reach a database of ours at this address, for the person who starts it. */
export function databaseNotice(host: string): string {
  return host === WELL_KNOWN
    ? 'The database has no password: other users of this machine can reach it, and so can web pages that find its port.'
    : 'The database has no password: web pages cannot find its address, but other users of this machine can.';
}
