import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { decryptBytes, encryptBytes } from '../adapters/envelope.ts';
import type { Keys } from '../adapters/keys.ts';

const KEY_BYTES = 32;

/** Keys of this machine: data keys are wrapped by the key in one file. */
export type FileKeys = Keys & {
  /** A 256-bit key for another purpose (signing URLs), derived so that it tells nothing about the file's key. */
  deriveKey(purpose: string): Uint8Array;
};

/**
 * Opens the key file at `path` (32 random bytes, mode 0600), made on first use. Losing it loses every stored secret; an existing
 * file of another size is refused, never replaced.
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
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  throw new Error(
    `The key file ${path} is not ${KEY_BYTES} bytes long; put the right one back from a backup.`,
  );
}

/** A crash at any moment leaves either no key file or a complete one; of two processes that race, both use the winner's. */
async function createKey(path: string): Promise<Buffer> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFlushed(temporary, randomBytes(KEY_BYTES));
  try {
    await link(temporary, path);
    await flushFolder(dirname(path));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(temporary);
  }
  const key = await readKey(path);
  if (key === undefined) throw new Error(`The key file ${path} vanished while it was made.`);
  return key;
}

async function writeFlushed(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a new name in the folder survive a power cut. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
