import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder; whoever asks removes it. */
export const newFolder = (parent = tmpdir()): Promise<string> => mkdtemp(join(parent, 'slipway-test-'));

/** Removes a folder, also while processes that are just ending still write into it. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });

/** A new folder that is removed when the test has finished. */
export async function temporaryFolder(): Promise<string> {
  const folder = await newFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}
