import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { decryptBytes, encryptBytes } from '../adapters/envelope.ts';
import type { Keys } from '../adapters/keys.ts';
import { createFileAtomic } from '../processes/atomic-file.ts';

const KEY_BYTES = 32;

/** Keys of this machine: data keys are wrapped by the key in one file. */
export type FileKeys = Keys & {
  /**
   * A 256-bit key for another purpose (signing URLs), derived so that it tells nothing about the file's key.
   */
  deriveKey(purpose: string): Uint8Array;
};

/**
 * Opens the key file at `path` (32 random bytes, mode 0600), made on first use. Losing it loses every stored
 * secret; an existing file of another size is refused, never replaced.
 */
export async function openFileKeys(path: string): Promise<FileKeys> {
  const key = (await readKey(path)) ?? (await createKey(path));
  return {
    async generateDataKey(context) {
      const plaintext = randomBytes(KEY_BYTES);
      return { plaintext, wrapped: encryptBytes(key, plaintext, context).toString('base64') };
    },
    async openDataKey(wrapped, context) {
      return decryptBytes(key, Buffer.from(wrapped, 'base64'), context);
    },
    deriveKey: (purpose) => new Uint8Array(hkdfSync('sha256', key, '', `slipway ${purpose}`, KEY_BYTES)),
  };
}

async function readKey(path: string): Promise<Buffer | undefined> {
  try {
    const key = await readFile(path);
    if (key.length === KEY_BYTES) return key;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  throw new Error(`The key file ${path} is not ${KEY_BYTES} bytes long; restore it from a backup.`);
}

/**
 * A crash at any moment leaves either no key file or a complete one; of two processes that race, both use the
 * winner's.
 */
async function createKey(path: string): Promise<Buffer> {
  await mkdir(dirname(path), { recursive: true });
  await createFileAtomic(path, randomBytes(KEY_BYTES));
  const key = await readKey(path);
  if (key === undefined) throw new Error(`The key file ${path} disappeared while it was being created.`);
  return key;
}
