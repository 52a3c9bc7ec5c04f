/** Sets of packages of package-lock.json, which is the only place that has versions. */
export type PackageSet = 'run' | 'all' | 'kubernetes' | 'node';

/** Names of packages, with the versions that would do. */
type Named = Record<string, string>;
export type Package = {
  version?: string;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dependencies?: Named;
  devDependencies?: Named;
  optionalDependencies?: Named;
  peerDependencies?: Named;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};
/** Of the clone's and npm's own: packages by their place below the clone, `node_modules/zod`. */
export type Lockfile = { packages: Record<string, Package> };

/** The places of the packages of these sets that a machine can have, such as `process` tells of. */
export function placesOf(
  lockfile: Lockfile,
  sets: readonly PackageSet[],
  machine: { platform: string; arch: string },
): string[];

/** The words for npm that install these sets, and leave alone what is in none of them. */
export function wordsOf(sets: readonly PackageSet[]): string[];
