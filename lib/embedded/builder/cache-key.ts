import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { BuildFailure } from '../../builds/failure.ts';
import { type InstallInputs, packagesInputs } from '../../builds/install-inputs.ts';
import { readSourceText } from '../../builds/source-text.ts';
import type { CacheKey } from './dependency-cache.ts';

/** Raised when what is kept is laid out differently. */
const LAYOUT = 4;

/** What is installed depends on these parts and on nothing else. */
export function cacheKey(parts: readonly (string | undefined)[], locked: boolean): CacheKey {
  const all = [LAYOUT, process.platform, process.arch, locked, ...parts];
  return { hash: createHash('sha256').update(JSON.stringify(all)).digest('hex'), locked };
}

/** The key of what was installed with these variables set. */
export const withVariables = ({ hash, locked }: CacheKey, variables: readonly object[]): CacheKey =>
  cacheKey([hash, JSON.stringify(variables)], locked);

/** Undefined where there is none. Throws BuildFailure for one that is too large. */
export async function fileTextOf(folder: string, name: string): Promise<string | undefined> {
  return readSourceText(join(folder, name), name).catch((error: unknown) => {
    if (error instanceof BuildFailure) throw error;
    return undefined;
  });
}

export type Cacheable = { key: CacheKey } | { not: string };

/** The key of what is installed by these parts from these files; `not` says why it is installed each time. */
export function keyOfInputs(parts: readonly string[], inputs: InstallInputs): Cacheable {
  return 'not' in inputs ? inputs : { key: cacheKey([...parts, ...[...inputs.texts].flat()], inputs.locked) };
}

/** The key of `node_modules` as `command` installs it. */
export const nodeModulesKey = async (
  place: Parameters<typeof packagesInputs>[0],
  command: string,
): Promise<Cacheable> => keyOfInputs(['node_modules', process.version, command], await packagesInputs(place));
