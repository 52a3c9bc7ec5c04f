import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Metafile } from 'esbuild';
import type { ConsoleEntry, ConsoleFile, ConsoleFiles } from '../adapters/console-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ENTRY = 'console/main.tsx';
const SESSION_WORKER = 'console/session-worker.ts';
/** The bundler names its files below a folder, which is never made. */
const FOLDER = 'out';

export type ConsoleBundle = { entry: ConsoleEntry; files: ReadonlyMap<string, ConsoleFile> };

/**
 * Makes the console's files from its sources: one script for what every page needs, one for each page that is
 * loaded when it is opened, one style, and its fonts.
 */
export async function bundleConsole(): Promise<ConsoleBundle> {
  // Few starts of the embedded runtime need the bundler.
  const { build, stop } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [ENTRY, SESSION_WORKER],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: ['chrome120', 'firefox130', 'safari18'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    // The style of a page that few open comes with its script.
    loader: { '.woff2': 'file', '.sheet.css': 'file' },
    outdir: FOLDER,
    write: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'error',
  });
  // Its service is a process that would stay for as long as this one.
  await stop();
  const files = outputFiles.map(({ path, contents }) => [nameOf(path), compressed(path, contents)] as const);
  return { entry: entryOf(metafile), files: new Map(files) };
}

const nameOf = (path: string): string => path.replaceAll('\\', '/').split('/').at(-1) ?? path;

const contentTypes: Record<string, ConsoleFile['contentType']> = {
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

const compressed = (path: string, contents: Uint8Array): ConsoleFile => ({
  contentType: contentTypes[extname(path)] ?? 'text/javascript',
  brotli: brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
});

function entryOf({ outputs }: Metafile): ConsoleEntry {
  const made = (source: string) => {
    const [path, output] = Object.entries(outputs).find(([, each]) => each.entryPoint === source) ?? [];
    if (path === undefined || output === undefined) throw new Error(`the bundler made nothing of ${source}`);
    return { name: nameOf(path), output };
  };
  const { name, output } = made(ENTRY);
  if (output.cssBundle === undefined) throw new Error(`${ENTRY} came out of the bundler without a style`);
  const statics = output.imports.filter(({ kind }) => kind === 'import-statement');
  return {
    script: name,
    style: nameOf(output.cssBundle),
    imports: statics.map((each) => nameOf(each.path)),
    sessionWorker: made(SESSION_WORKER).name,
  };
}

/** The files of a bundle that is made when it is first asked for. */
export function filesOf(bundle: () => Promise<ConsoleBundle>): ConsoleFiles {
  return {
    entry: async () => (await bundle()).entry,
    read: async (name) => (await bundle()).files.get(name),
  };
}
