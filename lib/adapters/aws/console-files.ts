import { readdir, readFile } from 'node:fs/promises';
import type { ConsoleEntry, ConsoleFiles } from '../console-files.ts';

/** What the page names, beside the files. */
export const ENTRY_FILE = 'entry.json';

/** Reads files that were put into a folder beside a function's code when it was bundled. */
export function consoleFilesIn(folder: URL): ConsoleFiles {
  let names: Promise<Set<string>> | undefined;
  const known = () => (names ??= readdir(folder).then((found) => new Set(found)));
  return {
    async entry() {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written with this type when the function was bundled
      return JSON.parse(await readFile(new URL(ENTRY_FILE, folder), 'utf8')) as ConsoleEntry;
    },
    async read(name) {
      // Only what is in the folder: a name may be anything.
      if (!(await known()).has(name) || !/\.(?:css|js)$/.test(name)) return undefined;
      const contentType = name.endsWith('.css') ? 'text/css' : 'text/javascript';
      return { contentType, brotli: await readFile(new URL(name, folder)) };
    },
  };
}
