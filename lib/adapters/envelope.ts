import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyContext, Keys } from './keys.ts';

const VERSION = 'v1';
const ALGORITHM = 'aes-256-gcm';
/** The size GCM is made for; random is safe because each data key encrypts one text. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed text that was changed, cut, or is opened under another context or key. */
export class SealError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SealError';
  }
}

/** The context in one canonical form (keys sorted), to authenticate together with what is encrypted. */
export function contextBytes(context: KeyContext): Buffer {
  const sorted = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Buffer.from(JSON.stringify(sorted));
}

/** Encrypts with AES-256-GCM; the result is IV, ciphertext and tag in one buffer. */
export function encryptBytes(key: Uint8Array, plaintext: Uint8Array, context: KeyContext): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(contextBytes(context));
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what `encryptBytes` made. Throws SealError when anything differs: key, context or a single bit. */
export function decryptBytes(key: Uint8Array, sealed: Uint8Array, context: KeyContext): Buffer {
  if (sealed.length < IV_BYTES + TAG_BYTES) throw new SealError('The sealed value is too short to be one.');
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(contextBytes(context));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealError('The sealed value was changed, or belongs to another key or owner.');
  }
}

/**
 * Encrypts a text under a fresh data key bound to `context`. The result, `v1.<wrapped key>.<base64url>`,
 * holds all that opening needs but the key that wraps data keys.
 */
export async function seal(keys: Keys, plaintext: string, context: KeyContext): Promise<string> {
  const dataKey = await keys.generateDataKey(context);
  try {
    const sealed = encryptBytes(dataKey.plaintext, Buffer.from(plaintext), context);
    return `${VERSION}.${dataKey.wrapped}.${sealed.toString('base64url')}`;
  } finally {
    dataKey.plaintext.fill(0);
  }
}

/** The text that was sealed under the same context. Throws SealError for anything else. */
export async function open(keys: Keys, sealed: string, context: KeyContext): Promise<string> {
  const [version, wrapped, body, ...rest] = sealed.split('.');
  if (version !== VERSION || wrapped === undefined || body === undefined || rest.length > 0) {
    throw new SealError('The value is not in a sealed format that this version knows.');
  }
  const dataKey = await keys.openDataKey(wrapped, context);
  try {
    return decryptBytes(dataKey, Buffer.from(body, 'base64url'), context).toString();
  } finally {
    dataKey.fill(0);
  }
}
