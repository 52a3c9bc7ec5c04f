import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Processes, runCommand } from '../../processes/run-command.ts';
import { discardFolder, folderSizeBytes, removeFolder } from './work-folder.ts';

/** About ten agents' dependencies; the ones not used for longest go first. */
const TREES_BYTES_MAX = 2 * 1024 ** 3;
/** What tools keep of downloads only grows; beyond this it is cheaper to fetch again than to keep. */
const DOWNLOADS_BYTES_MAX = 2 * 1024 ** 3;
/**
 * Without a lockfile the same request may be answered by newer versions: for so long what was answered before
 * is taken.
 */
export const UNLOCKED_MILLISECONDS = 24 * 3600 * 1000;

export type CacheKey = {
  /** Of everything that what is installed depends on, in hex. */
  hash: string;
  /** A lockfile says exactly which versions; else an entry is used for a day only. */
  locked: boolean;
};

/**
 * What one tenant's builds installed before. Trees are shared by hard links, which takes a second where
 * copying would take as long as installing; one in which a build has changed files in place is dropped.
 */
export type DependencyCache = {
  /** Variables that make npm, pip and uv keep their downloads here. */
  environment: Record<string, string>;
  /** Puts the tree in place and tells when it was stored; undefined when there is none. */
  restore(key: CacheKey, target: string): Promise<Date | undefined>;
  /**
   * Keeps the tree as it is now. False when that is not possible (no hard links here): nothing depends on it.
   */
  store(key: CacheKey, source: string): Promise<boolean>;
  /** Drops the tree if files of it were changed since it was stored. True when it was dropped. */
  dropIfChanged(key: CacheKey): Promise<boolean>;
};

const downloadsIn = (folder: string): Record<string, string> => ({
  NPM_CONFIG_CACHE: join(folder, 'npm'),
  PIP_CACHE_DIR: join(folder, 'pip'),
  UV_CACHE_DIR: join(folder, 'uv'),
});

/**
 * Variables that make package managers keep their downloads in this folder, and look nowhere else for those
 * of earlier builds: what a private registry gave to one build must not be there for another, which may lack
 * the secret. Package managers take what a lockfile names by its content without asking the registry.
 */
export const ownDownloads = (folder: string): Record<string, string> => ({
  ...downloadsIn(folder),
  XDG_CACHE_HOME: join(folder, 'cache'),
  npm_config_store_dir: join(folder, 'pnpm'),
  pnpm_config_store_dir: join(folder, 'pnpm'),
  YARN_CACHE_FOLDER: join(folder, 'yarn'),
  YARN_GLOBAL_FOLDER: join(folder, 'yarn-global'),
  BUN_INSTALL_CACHE_DIR: join(folder, 'bun'),
  GOMODCACHE: join(folder, 'go'),
  // Go would write-protect its folders, and nothing could remove them.
  GOFLAGS: '-modcacherw',
});

export type CacheOptions = { folder: string; processes: Processes; signal: AbortSignal };

export function openDependencyCache({ folder, processes, signal }: CacheOptions): DependencyCache {
  const trees = join(folder, 'installed');
  const run = async (command: string, args: string[]) => {
    const lines: string[] = [];
    const onLine = ({ line }: { line: string }) => void lines.push(line);
    const environment = { PATH: process.env.PATH ?? '' };
    const exit = await runCommand(processes, { command, args, cwd: '/', environment, onLine }, signal, {
      known: true,
    });
    return { ok: exit.code === 0, lines };
  };
  const link = async (from: string, to: string) => (await run('cp', ['-al', from, to])).ok;
  const entryOf = (key: CacheKey) => join(trees, key.hash);
  return {
    environment: downloadsIn(folder),
    async restore(key, target) {
      const entry = entryOf(key);
      const stored = await stat(join(entry, 'stored')).catch(() => undefined);
      if (stored === undefined) return undefined;
      if (!key.locked && Date.now() - stored.mtimeMs > UNLOCKED_MILLISECONDS) return undefined;
      if (await link(join(entry, 'tree'), target)) {
        await utimes(entry, new Date(), new Date()).catch(() => undefined);
        return stored.mtime;
      }
      await removeFolder(target);
      return undefined;
    },
    async store(key, source) {
      const partial = join(trees, `${randomUUID()}.partial`);
      await mkdir(partial, { recursive: true });
      try {
        if (!(await link(source, join(partial, 'tree')))) return false;
        await writeFile(join(partial, 'stored'), '');
        await discardFolder(entryOf(key));
        await rename(partial, entryOf(key));
      } finally {
        await removeFolder(partial);
      }
      await dropOldest(trees, TREES_BYTES_MAX);
      return true;
    },
    async dropIfChanged(key) {
      const entry = entryOf(key);
      const { lines } = await run('find', [
        join(entry, 'tree'),
        '-type',
        'f',
        '-newer',
        join(entry, 'stored'),
      ]);
      const changed = lines.some((line) => line.startsWith(entry));
      if (changed) await discardFolder(entry);
      return changed;
    },
  };
}

async function dropOldest(trees: string, bytesMax: number): Promise<void> {
  const names = (await readdir(trees)).filter((name) => /^[0-9a-f]+$/.test(name));
  const entries = await Promise.all(
    names.map(async (name) => {
      const path = join(trees, name);
      const found = await stat(path).catch(() => undefined);
      return { path, usedAt: found?.mtimeMs ?? 0, sizeBytes: await folderSizeBytes(path) };
    }),
  );
  let total = 0;
  for (const entry of entries.sort((one, other) => other.usedAt - one.usedAt)) {
    total += entry.sizeBytes;
    // The newest stays even if it is larger than everything may be: it is in use.
    if (total > bytesMax && entry !== entries[0]) await discardFolder(entry.path);
  }
}

/**
 * Removes what an earlier run left half done, and downloads that have grown too large. Only while nothing is
 * built.
 */
export async function tidyDependencyCaches(folder: string): Promise<void> {
  for (const tenant of await readdir(folder).catch(() => [])) {
    const trees = join(folder, tenant, 'installed');
    const left = (await readdir(trees).catch(() => [])).filter((name) => !/^[0-9a-f]+$/.test(name));
    for (const name of left) await removeFolder(join(trees, name));
    for (const tool of ['npm', 'pip', 'uv']) {
      const path = join(folder, tenant, tool);
      if ((await folderSizeBytes(path)) > DOWNLOADS_BYTES_MAX)
        await rm(path, { recursive: true, force: true });
    }
  }
}
