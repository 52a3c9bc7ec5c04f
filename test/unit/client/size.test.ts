import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** As a page or a program has it that takes all of it. */
const SIZE_BYTES_MAX = 6_000;

it('the client is small, and is made of its own files alone', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['lib/client/index.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['node20', 'chrome120', 'firefox130', 'safari18'],
    packages: 'external',
    write: false,
    metafile: true,
    outdir: 'out',
  });
  expect(Object.keys(metafile.inputs).filter((path) => !path.startsWith('lib/client/'))).toEqual([]);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  expect(outputFiles[0]?.contents.length).toBeLessThanOrEqual(SIZE_BYTES_MAX);
});
