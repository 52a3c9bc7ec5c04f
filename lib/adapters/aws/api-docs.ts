import { readFile } from 'node:fs/promises';
import type { ApiDocs } from '../api-docs.ts';

/** Reads files that were put into a folder beside a function's code when it was bundled. */
export const apiDocsIn = (folder: URL): ApiDocs => ({
  read: (file) => readFile(new URL(file, folder), 'utf8'),
});
