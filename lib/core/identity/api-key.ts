import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'slp_';
const SECRET_BYTES = 32;
/** 62^43 > 2^256, and 62^6 > 2^32: fixed lengths, so keys are recognised by secret scanners. */
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const PATTERN = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`);

/** A new key: `slp_`, 32 random bytes and a checksum in base62. Shown once; only its hash is stored. */
export function newApiKey(): string {
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS);
  return PREFIX + secret + checksum(secret);
}

/** Tells a mistyped or foreign credential from one of ours without asking the table. */
export function isWellFormed(key: string): boolean {
  if (!PATTERN.test(key)) return false;
  const secret = key.slice(PREFIX.length, PREFIX.length + SECRET_DIGITS);
  return key.endsWith(checksum(secret));
}

/** What is stored and looked up. A key has 256 random bits, so a plain hash cannot be searched for. */
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Enough to recognise a key by, too little to use it. */
export const hintOf = (key: string): string => `${key.slice(0, PREFIX.length + 4)}…${key.slice(-4)}`;

const checksum = (secret: string): string => base62(BigInt(crc32(PREFIX + secret)), CHECKSUM_DIGITS);

function base62(value: bigint, digits: number): string {
  let rest = value;
  let text = '';
  while (rest > 0n) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text.padStart(digits, ALPHABET.charAt(0));
}
