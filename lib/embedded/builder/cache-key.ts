import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOfFile } from '../../contract/file-text.ts';
import type { CacheKey } from './dependency-cache.ts';

/** Raised when what is kept is laid out differently. */
const LAYOUT = 3;

/** What is installed depends on these parts and on nothing else. */
export function cacheKey(parts: readonly (string | undefined)[], locked: boolean): CacheKey {
  const all = [LAYOUT, process.platform, process.arch, locked, ...parts];
  return { hash: createHash('sha256').update(JSON.stringify(all)).digest('hex'), locked };
}

/** The key of what was installed with these variables set. */
export const withVariables = ({ hash, locked }: CacheKey, variables: readonly object[]): CacheKey =>
  cacheKey([hash, JSON.stringify(variables)], locked);

export async function fileTextOf(folder: string, name: string): Promise<string | undefined> {
  return readFile(join(folder, name)).then(textOfFile, () => undefined);
}

const LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock'];
const SETTINGS = ['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', '.pnpmfile.cjs'];

/** Scripts of the project itself that run at an install and may do anything. */
const INSTALL_SCRIPTS =
  'preinstall install postinstall prepublish preprepare prepare postprepare dependencies'.split(' ');

export type Cacheable = { key: CacheKey } | { not: string };

/**
 * The key of `node_modules` as `command` installs it. `not` says why it depends on more than the files here:
 * then it is installed each time.
 */
export async function nodeModulesKey(folder: string, command: string): Promise<Cacheable> {
  const texts = await Promise.all([...SETTINGS, ...LOCKFILES].map((name) => fileTextOf(folder, name)));
  const packageJson: unknown = JSON.parse(texts[0] ?? '{}');
  const why = reasonNotToKeep(new Map(Object.entries(packageJson ?? {})));
  if (why !== undefined) return { not: why };
  if (texts.slice(2, SETTINGS.length).some((text) => text !== undefined))
    return { not: 'settings of yarn or pnpm may lead elsewhere' };
  const locked = texts.slice(SETTINGS.length).some((text) => text !== undefined);
  return { key: cacheKey(['node_modules', process.version, command, ...texts], locked) };
}

function reasonNotToKeep(packageJson: ReadonlyMap<string, unknown>): string | undefined {
  if (packageJson.has('workspaces')) return 'it has workspaces';
  const scripts = Object.keys(objectOr(packageJson.get('scripts')));
  const script = INSTALL_SCRIPTS.find((name) => scripts.includes(name));
  if (script !== undefined) return `its script '${script}' runs at an install`;
  const wanted = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'].flatMap((field) =>
    Object.entries(objectOr(packageJson.get(field))),
  );
  const local = wanted.find(([, version]) =>
    /\b(file|link|workspace|portal|patch):/.test(JSON.stringify(version)),
  );
  return local === undefined ? undefined : `its dependency '${local[0]}' lies in the source`;
}

const objectOr = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
