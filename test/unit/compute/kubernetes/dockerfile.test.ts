import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const dockerfile = read('Dockerfile');

/** What the image gets of this repository; other COPY lines take from another stage. */
const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?!package)(.+) (\S+)$/gm)].map(
  ([, from = '', to = '']) => ({ from: from.split(' '), to }),
);
const sources = copied.flatMap(({ from }) => from);

const { metafile } = await build({
  entryPoints: [join(root, 'bin/listener.ts')],
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  metafile: true,
  write: false,
});
const files = Object.keys(metafile.inputs);

it('the image has every file that the listener imports, and no folder that it does not need', () => {
  const isIn = (file: string, source: string) => file === source || file.startsWith(`${source}/`);
  // The first stage takes it to say which packages are installed.
  const needed = files.filter((file) => file !== 'package.json');
  expect(needed.length).toBeGreaterThan(50);
  expect(needed.filter((file) => !sources.some((source) => isIn(file, source)))).toEqual([]);
  expect(sources.filter((source) => !needed.some((file) => isIn(file, source)))).toEqual([]);
  expect(dockerfile).toMatch(/^COPY --from=packages \/slipway\/package\.json package\.json$/m);
});

it('has each of them where it is here', () => {
  for (const { from, to } of copied)
    for (const source of from) {
      const isFolder = !/\.\w+$/.test(source);
      const place = to.endsWith('/') && !isFolder ? `${to}${source.split('/').at(-1)}` : to;
      expect([source, place, existsSync(join(root, source))]).toEqual([source, source, true]);
    }
});

it('has every package that they import, in the version of the lockfile', () => {
  const imported = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external === true && !path.startsWith('node:'))
    .map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
  const installed = [...dockerfile.matchAll(/'dependencies\.(\S+)=\*'/g)].map(([, name = '']) => name);
  expect(installed.toSorted()).toEqual([...new Set(imported)].toSorted());
  const named = ['package.json', 'packages/kubernetes/package.json'].flatMap((manifest) => {
    const { dependencies } = JSON.parse(read(manifest)) as { dependencies: Record<string, string> };
    return Object.keys(dependencies);
  });
  expect(named).toEqual(expect.arrayContaining(installed));
});

it('and its context lets them through', () => {
  const allowed = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const outside = [...sources, 'package.json', 'package-lock.json'].filter(
    (source) => !allowed.some((each) => source === each || source.startsWith(`${each}/`)),
  );
  expect(outside).toEqual([]);
});

it('runs the listener, and not as root', () => {
  expect(dockerfile).toMatch(/^ENTRYPOINT \["node", "bin\/listener\.ts"\]$/m);
  expect(dockerfile).toMatch(/^USER 1000:1000$/m);
});
