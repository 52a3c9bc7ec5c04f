import { readFile } from 'node:fs/promises';
import type { Files } from '../files/write-files.ts';

const example = new URL('../../../examples/hello-server/', import.meta.url);

/**
 * To import node:http is to load the whole of `fetch` with it, which is twice the work of all else in the
 * start of a server; tests start more than a hundred.
 */
const HTTP_IMPORTED = "import { createServer } from 'node:http';";
export const HTTP_ALONE = "const { createServer } = process.getBuiltinModule('node:http');";

/** The files of the example server, which calls itself `version`; `more` is added or replaces. */
export async function helloFiles(version = 'v1', more: Files = {}): Promise<Files> {
  const read = (name: string) => readFile(new URL(name, example), 'utf8');
  const server = (await read('server.js'))
    .replace("VERSION = 'v1'", `VERSION = '${version}'`)
    .replace(HTTP_IMPORTED, HTTP_ALONE);
  return { 'package.json': await read('package.json'), 'server.js': server, ...more };
}

/** The example's package.json with these scripts beside `start`. */
export function packageJson(scripts: Record<string, string>): string {
  return JSON.stringify({
    name: 'hello-server',
    type: 'module',
    scripts: { start: 'node server.js', ...scripts },
  });
}
