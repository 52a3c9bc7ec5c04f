import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ApiDocs } from '../adapters/api-docs.ts';
import { DESCRIPTION_FILE } from '../contract/browser/api-docs.ts';

const require = createRequire(import.meta.url);
const installed = dirname(require.resolve('swagger-ui-dist/package.json'));

const docs = new URL('../../docs/', import.meta.url);

/** Reads the files where they are kept and installed. */
export const installedApiDocs: ApiDocs = {
  read: (file) => readFile(file === DESCRIPTION_FILE ? new URL(file, docs) : join(installed, file), 'utf8'),
};
