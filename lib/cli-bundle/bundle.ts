import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What is in the bundle, by the paths of its sources. */
export type CliBundle = { text: string; sources: string[] };

/** The command line for users as one file that runs on Node 20, with nothing beside it. */
export async function bundleCli(): Promise<CliBundle> {
  // What serves the file is not always what makes it.
  const { build, stop } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['bin/cli.ts'],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    write: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'error',
  });
  await stop();
  return { text: outputFiles[0]?.text ?? '', sources: Object.keys(metafile.inputs) };
}
