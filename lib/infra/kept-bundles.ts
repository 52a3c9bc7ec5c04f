import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundle, bundleFunctions, bundlesIn } from './bundles.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Packages are those of the lockfile, which is among them. */
const SOURCES = [
  '{bin,console,examples,functions,lib}/**',
  'docs/openapi.json',
  'LICENSE',
  '*.json',
] as const;

/** Another synth that began with a folder may still read it for so long. */
const UNUSED_MILLISECONDS = 3_600_000;

/** SHA-256 of these files' names and contents, and of the Node that reads them, as hexadecimal digits. */
export function digestOf(folder: string, patterns: readonly string[] = SOURCES): string {
  const hash = createHash('sha256').update(process.version);
  const exclude = (entry: { name: string }) => entry.name === 'node_modules' || entry.name === '__pycache__';
  const entries = globSync(patterns, { cwd: folder, exclude, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.toSorted()) {
    const bytes = readFileSync(file);
    hash.update(`\n${file.slice(folder.length)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

/**
 * The folder of this name among those that are kept in `cache`; made first unless it is there. One that is
 * half made is never found. Folders that nobody has asked for in an hour are deleted when one is made.
 */
export async function keptFolder(
  cache: string,
  name: string,
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const kept = join(cache, name);
  if (!existsSync(kept)) {
    await mkdir(cache, { recursive: true });
    await removeUnused(cache);
    const unfinished = await mkdtemp(join(cache, 'unfinished-'));
    try {
      await make(unfinished);
      await rename(unfinished, kept);
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true });
      // Another one was faster, with the same.
      if (!existsSync(kept)) throw error;
    }
  }
  const now = new Date();
  await utimes(kept, now, now);
  return kept;
}

async function removeUnused(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    // Another one may have finished it, or removed it, just now.
    const { mtimeMs = Date.now() } = (await stat(folder).catch(() => undefined)) ?? {};
    if (Date.now() - mtimeMs > UNUSED_MILLISECONDS) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The bundles of these handlers, as `bundleFunctions` makes them. To make all takes a minute or more of a
 * processor, so they are kept in node_modules/.cache until a file changes that they are made of.
 */
export async function keptBundles(handlers: readonly string[]): Promise<Map<string, Bundle>> {
  const cache = join(root, 'node_modules/.cache/slipway-bundles');
  const folder = await keptFolder(cache, digestOf(root), (made) => bundleFunctions(handlers, made));
  return bundlesIn(folder, handlers);
}
