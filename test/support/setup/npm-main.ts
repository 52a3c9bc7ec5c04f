import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/**
 * As much of npm as counts for setup: it leaves alone what it is not asked for, takes away what it is told to
 * leave out, takes a package for whole whose `package.json` has the version, and writes its list last. Files
 * beside the lockfile hold it up, or cut it off within a package.
 */
type Package = { version?: string };
type Packages = Record<string, Package>;

const LIST = 'node_modules/.package-lock.json';
const words = process.argv.slice(2);
appendFileSync('npm-calls', `${words.join(' ')}\n`);

const packagesOf = (file: string): Packages => {
  if (!existsSync(file)) return {};
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Packages };
  return packages;
};

function versionAt(place: string): string | undefined {
  if (!existsSync(`${place}/package.json`)) return undefined;
  const { version } = JSON.parse(readFileSync(`${place}/package.json`, 'utf8')) as Package;
  return version;
}

function bring(place: string, version: string): void {
  if (versionAt(place) === version) return;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(`${place}/bin`, { recursive: true });
  writeFileSync(`${place}/package.json`, JSON.stringify({ version }));
  if (existsSync('cut-off')) process.exit(7);
  writeFileSync(`${place}/rest`, version);
  if (place !== 'node_modules/node-here') return;
  copyFileSync('ours', `${place}/bin/node`);
  chmodSync(`${place}/bin/node`, 0o755);
  mkdirSync('node_modules/.bin', { recursive: true });
  if (!existsSync('unlinked')) symlinkSync('../node-here/bin/node', 'node_modules/.bin/node');
}

const wanted: string[] = [];
const listed = packagesOf(LIST);
if (words.includes('--workspaces=false') || words.includes('--include-workspace-root')) {
  wanted.push('zod');
  if (words.includes('--include=dev')) wanted.push('vitest');
  else {
    delete listed['node_modules/vitest'];
    rmSync('node_modules/vitest', { recursive: true, force: true });
  }
}
if (words.includes('--workspace=packages/kubernetes')) wanted.push('@kubernetes/client-node');
if (words.includes('--workspace=packages/node') && existsSync('ours')) wanted.push('node-here');

while (existsSync('held-up')) await setTimeout(10);
const locked = packagesOf('package-lock.json');
for (const place of wanted.map((name) => `node_modules/${name}`)) {
  const entry = locked[place] ?? {};
  bring(place, entry.version ?? '');
  listed[place] = entry;
}
writeFileSync(LIST, JSON.stringify({ packages: listed }));
