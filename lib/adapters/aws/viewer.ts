import { readFile } from 'node:fs/promises';
import type { Viewer } from '../viewer.ts';

/** Reads files that were put into a folder beside a function's code when it was bundled. */
export const viewerIn = (folder: URL): Viewer => ({
  read: (file) => readFile(new URL(file, folder), 'utf8'),
});
