import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Viewer } from '../adapters/viewer.ts';
import { DESCRIPTION_FILE } from '../contract/viewer.ts';

const { resolve } = createRequire(import.meta.url);

const docs = new URL('../../docs/', import.meta.url);

/** Reads the files where they are kept and installed. */
export const installedViewer: Viewer = {
  read: (file) =>
    readFile(file === DESCRIPTION_FILE ? new URL(file, docs) : resolve(`swagger-ui-dist/${file}`), 'utf8'),
};
