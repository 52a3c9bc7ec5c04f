import { randomBytes, randomInt, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { USER_CODE_ALPHABET, USER_CODE_LENGTH } from './shape.ts';

const DEVICE_CODE_BYTES = 32;
const HASH_BYTES = 32;
const hashSlowly = promisify<string, string, number, Buffer>(scrypt);

/** 256 random bits, so that a plain hash of it cannot be searched for. */
export const newDeviceCode = (): string => randomBytes(DEVICE_CODE_BYTES).toString('base64url');

/** 34 random bits: enough for ten minutes and a few tries, and short enough to be typed. */
export const newUserCode = (): string =>
  Array.from({ length: USER_CODE_LENGTH }, () =>
    USER_CODE_ALPHABET.charAt(randomInt(USER_CODE_ALPHABET.length)),
  ).join('');

const HALF = USER_CODE_LENGTH / 2;
export const shownUserCode = (code: string): string => `${code.slice(0, HALF)}-${code.slice(HALF)}`;

/** The code that somebody has typed, as it was made; undefined: none of ours can be meant. */
export function typedUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  const isOurs = code.split('').every((letter) => USER_CODE_ALPHABET.includes(letter));
  return isOurs && code.length === USER_CODE_LENGTH ? code : undefined;
}

/**
 * What a typed code is stored and found under. All codes can be gone through, so each costs some milliseconds
 * and 16 MiB, and other ones in each table (`salt`: its name): who reads the table has no use of one within
 * the ten minutes that it is good for.
 */
export const hashOfUserCode = async (code: string, salt: string): Promise<string> =>
  (await hashSlowly(code, `slipway device login ${salt}`, HASH_BYTES)).toString('hex');
