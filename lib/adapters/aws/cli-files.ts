import { readdir, readFile } from 'node:fs/promises';
import { type CliFiles, type CliManifest, MANIFEST_FILE } from '../cli-files.ts';

/** Reads files that were put into a folder beside a function's code when it was bundled. */
export function cliFilesIn(folder: URL): CliFiles {
  let names: Promise<Set<string>> | undefined;
  const known = () => (names ??= readdir(folder).then((found) => new Set(found)));
  return {
    async manifest() {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written with this type when the function was bundled
      return JSON.parse(await readFile(new URL(MANIFEST_FILE, folder), 'utf8')) as CliManifest;
    },
    // Only what is in the folder: a name may be anything.
    read: async (name) => ((await known()).has(name) ? readFile(new URL(name, folder)) : undefined),
  };
}
