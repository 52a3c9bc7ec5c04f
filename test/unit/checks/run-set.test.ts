import { globSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { type Lockfile, placesOf } from '../../../bin/install/sets.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
// Written by hand and by npm, with these fields.
const { dependencies, knip } = JSON.parse(read('package.json')) as {
  dependencies: Record<string, string>;
  knip: { workspaces: { '.': { entry: string[] } } };
};
const lockfile = JSON.parse(read('package-lock.json')) as Lockfile;

/** Programs and bundles of AWS and of tools. */
const ELSEWHERE = [
  'lib/builds/codebuild/main.ts',
  'lib/adapters/aws/function-credentials.ts',
  'lib/client/index.ts',
];

/** What a start runs or bundles: the functions too, which the runtime imports by the names in their rows. */
const programs = [
  'bin/local.ts',
  'bin/listener.ts',
  'bin/cli.ts',
  'lib/agent-runtime/main.ts',
  ...knip.workspaces['.'].entry
    .filter((pattern) => !/^(bin|test)\//.test(pattern) && !ELSEWHERE.includes(pattern))
    .flatMap((pattern) => globSync(pattern, { cwd: root })),
];

/** Found by its place, not by an import. */
const READ_AS_FILES = 'swagger-ui-dist';

const { metafile } = await build({
  // One bundle of all: what many of them import is written once.
  stdin: {
    contents: programs.map((program, index) => `export * as program${index} from './${program}'`).join('\n'),
    resolveDir: root,
  },
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  loader: { '.woff2': 'empty', '.css': 'empty' },
  metafile: true,
  write: false,
  logLevel: 'error',
});

const imported = Object.values(metafile.inputs)
  .flatMap(({ imports }) => imports)
  .filter(({ external, path }) => external === true && !path.startsWith('node:'))
  .map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));

it('a start installs every package that it imports, and none that only tools or tests need', () => {
  const inKubernetesDriver = ['@kubernetes/client-node'];
  expect([...new Set([...imported, READ_AS_FILES])].toSorted()).toEqual(
    [...Object.keys(dependencies), ...inKubernetesDriver].toSorted(),
  );
});

/** Of a package alone, without those within it. */
const bytesOf = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => {
      const path = join(folder, entry.name);
      // What a file takes on a disk, as `du` counts.
      return entry.isDirectory() ? bytesOf(path) : lstatSync(path).blocks * 512;
    })
    .reduce((sum, bytes) => sum + bytes, 0);

it('what a start installs beside Node takes no more than 170 MB', () => {
  const bytes = placesOf(lockfile, ['run'], process).map((place) => bytesOf(join(root, place)));
  expect(bytes.length).toBeGreaterThan(100);
  const megabytes = bytes.reduce((sum, each) => sum + each, 0) / 2 ** 20;
  expect(megabytes).toBeLessThanOrEqual(170);
  expect(megabytes).toBeGreaterThan(50);
});
