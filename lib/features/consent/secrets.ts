import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Which request a text in an address is of, and what proves it. Nothing else of the text is believed before
 * the proof.
 */
export type Ticket = { tenantId: string; authId: string; secret: Buffer };

const ID_BYTES = 16;
const SECRET_BYTES = 32;
const TICKET_BYTES = 2 * ID_BYTES + SECRET_BYTES;
const CODE_BYTES = 16;

const bytesOf = (id: string): Buffer => {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  if (bytes.length !== ID_BYTES) throw new Error('An id of a request for consent is a UUID');
  return bytes;
};

const idOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const hashOf = (secret: Uint8Array): string => createHash('sha256').update(secret).digest('base64url');

/** Whether this is the secret that was kept as a hash; in the same time whatever differs. */
export function isSecretOf(hash: string, secret: Uint8Array): boolean {
  const [given, kept] = [Buffer.from(hashOf(secret)), Buffer.from(hash)];
  return given.length === kept.length && timingSafeEqual(given, kept);
}

/** A secret of 256 bits as it travels, and what is kept of it. */
export function newPageSecret(): { text: string; hash: string } {
  const secret = randomBytes(SECRET_BYTES);
  return { text: secret.toString('base64url'), hash: hashOf(secret) };
}

/**
 * A secret together with the ids of its request (`base64url(tenant | request | secret)`), which is found by
 * its key, without an index.
 */
export function newTicket(tenantId: string, authId: string): { text: string; hash: string } {
  const secret = randomBytes(SECRET_BYTES);
  const text = Buffer.concat([bytesOf(tenantId), bytesOf(authId), secret]).toString('base64url');
  return { text, hash: hashOf(secret) };
}

/** Undefined for a text that none of ours can be. */
export function readTicket(text: string): Ticket | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== TICKET_BYTES || bytes.toString('base64url') !== text) return undefined;
  return {
    tenantId: idOf(bytes.subarray(0, ID_BYTES)),
    authId: idOf(bytes.subarray(ID_BYTES, 2 * ID_BYTES)),
    secret: bytes.subarray(2 * ID_BYTES),
  };
}

/**
 * Proves that a form comes from the page of this address. It counts once: what it asks for is done at one
 * stage only.
 */
export const formTokenOf = ({ secret }: Ticket): string =>
  createHmac('sha256', secret).update('begin form').digest('base64url');

export function isFormTokenOf(ticket: Ticket, given: string): boolean {
  const [expected, found] = [Buffer.from(formTokenOf(ticket)), Buffer.from(given)];
  return expected.length === found.length && timingSafeEqual(expected, found);
}

/** What a person copies from one page to where they began: 128 bits, in groups. */
export function newConfirmationCode(): { text: string; hash: string } {
  const text = randomBytes(CODE_BYTES).toString('hex').toUpperCase();
  return { text: text.replace(/(.{4})(?=.)/g, '$1-'), hash: hashOf(Buffer.from(text)) };
}

/** However it was typed: lower case, and without or with other separators. */
export const isConfirmationCode = (hash: string, typed: string): boolean =>
  isSecretOf(hash, Buffer.from(typed.toUpperCase().replaceAll(/[^0-9A-F]/g, '')));

/** A PKCE verifier (RFC 7636 §4.1) and its S256 challenge. */
export function newVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(SECRET_BYTES).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
