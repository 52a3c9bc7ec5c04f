import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ENTRY_FILE } from '../adapters/aws/console-files.ts';
import { makeCliDistribution } from '../cli-bundle/distribution.ts';
import { bundleConsole } from '../console-bundle/bundle.ts';
import { DESCRIPTION_FILE, packageFiles } from '../contract/browser/api-docs.ts';
import { once } from '../contract/once.ts';
import { routeKeys } from '../contract/routes/index.ts';
import { getCli } from '../features/command-line/routes.ts';
import { getConsole } from '../features/console-pages/routes.ts';
import { getDocsFile, getOpenApi } from '../features/service/routes.ts';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** A handler's file as it is deployed: its own folder, and the bytes of its code. */
export type Bundle = { folder: string; sizeBytes: number };

/**
 * Packages that are CommonJS ask for Node's own modules by `require`, which an ES module has to make for
 * them.
 */
const requireBanner =
  "import { createRequire as slipwayRequire } from 'node:module'; const require = slipwayRequire(import.meta.url);";

/** How code for Lambda is bundled. */
export const bundler = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  banner: { js: requireBanner },
  logLevel: 'error',
} as const satisfies BuildOptions;

/**
 * Of the route table a function may read `routeKeys` alone, and finds it made: the rows would bring the
 * schemas of every endpoint with them.
 */
const routeTable: Plugin = {
  name: 'route-table',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/lib\/contract\/routes\/index\.ts$/ }, () => ({
      contents: `export const routeKeys = ${JSON.stringify(routeKeys)};`,
    })),
};

const options = {
  ...bundler,
  absWorkingDir: root,
  outExtension: { '.js': '.mjs' },
  sourcemap: true,
  sourcesContent: false,
  plugins: [routeTable],
  alias: { '@aws-sdk/credential-provider-node': join(root, 'lib/adapters/aws/function-credentials.ts') },
} as const satisfies BuildOptions;

/** All at once would take more memory than a laptop has: the bundler holds everything that it has made. */
const AT_ONCE = 8;

/** Where the bundle of a handler lies among all of them. */
export const bundleFolderOf = (handler: string): string =>
  handler.replace(/^functions\//, '').replace(/\.ts$/, '');

/**
 * Bundles each handler by itself, minified, with the parts of the SDK that it uses. `handlers` are files
 * relative to the repository; what Lambda calls is `index.handler`. With external `packages` it is our own
 * code alone: it can be read and weighed, not run, and takes a tenth of the time.
 */
export async function bundleFunctions(
  handlers: readonly string[],
  outputFolder: string,
  { packages = 'bundle' }: { packages?: 'bundle' | 'external' } = {},
): Promise<Map<string, Bundle>> {
  for (let from = 0; from < handlers.length; from += AT_ONCE) {
    const some = handlers.slice(from, from + AT_ONCE);
    await build({
      ...options,
      packages,
      sourcemap: packages === 'bundle',
      entryPoints: Object.fromEntries(some.map((handler) => [`${bundleFolderOf(handler)}/index`, handler])),
      outdir: outputFolder,
    });
  }
  copyFilesBeside(handlers, (handler) => join(outputFolder, bundleFolderOf(handler)));
  if (handlers.includes(getConsole.handler))
    await writeConsole(join(outputFolder, bundleFolderOf(getConsole.handler), 'console'));
  if (handlers.includes(getCli.handler))
    await writeCli(join(outputFolder, bundleFolderOf(getCli.handler), 'cli'));
  return bundlesIn(outputFolder, handlers);
}

/** The bundles of these handlers that `bundleFunctions` has put into a folder. */
export const bundlesIn = (outputFolder: string, handlers: readonly string[]): Map<string, Bundle> =>
  new Map(
    handlers.map((handler) => {
      const folder = join(outputFolder, bundleFolderOf(handler));
      return [handler, { folder, sizeBytes: statSync(join(folder, 'index.mjs')).size }];
    }),
  );

const apiDocsPackage = dirname(require.resolve('swagger-ui-dist/package.json'));

/**
 * What functions read beside their code: texts that are served as they are, and need not be loaded to start.
 */
const filesBeside: Record<string, string[]> = {
  [getOpenApi.handler]: [join(root, 'docs', DESCRIPTION_FILE)],
  [getDocsFile.handler]: packageFiles.map((file) => join(apiDocsPackage, file)),
};

function copyFilesBeside(handlers: readonly string[], folderOf: (handler: string) => string): void {
  for (const handler of handlers) {
    const files = filesBeside[handler] ?? [];
    const folder = join(folderOf(handler), 'viewer');
    if (files.length > 0) mkdirSync(folder, { recursive: true });
    for (const file of files) copyFileSync(file, join(folder, basename(file)));
  }
}

const theConsole = once(bundleConsole);

/** The console's files lie beside the function that serves them, compressed as they are sent. */
async function writeConsole(folder: string): Promise<void> {
  const { entry, files } = await theConsole();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ENTRY_FILE), JSON.stringify(entry));
  for (const [name, { brotli }] of files) writeFileSync(join(folder, name), brotli);
}

const theCli = once(makeCliDistribution);

/** The files of the command line lie beside the function that serves them too. */
async function writeCli(folder: string): Promise<void> {
  const { files } = await theCli();
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}

/** The text of a file of the repository. */
export const sourceText = (path: string): string => readFileSync(join(root, path), 'utf8');
