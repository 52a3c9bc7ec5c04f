/** Bound to each ciphertext: who owns it. Opening it under another context fails. */
export type KeyContext = Record<string, string>;

/**
 * Makes and opens data keys: KMS, or a key file of this machine. `lib/adapters/envelope.ts` encrypts with
 * them. A plaintext data key lives in memory only, for one operation.
 */
export type Keys = {
  /** A new 256-bit data key, and the same wrapped (base64) for keeping beside what it encrypts. */
  generateDataKey(context: KeyContext): Promise<{ plaintext: Uint8Array; wrapped: string }>;
  openDataKey(wrapped: string, context: KeyContext): Promise<Uint8Array>;
};
