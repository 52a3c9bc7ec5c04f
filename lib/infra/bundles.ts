import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { withoutUnused } from './left-out.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A handler's file as it is deployed: its own folder, and the bytes of its code. */
export type Bundle = { folder: string; sizeBytes: number };

/** Packages that are CommonJS ask for Node's own modules by `require`, which an ES module has to make for them. */
const requireBanner =
  "import { createRequire as slipwayRequire } from 'node:module'; const require = slipwayRequire(import.meta.url);";

/**
 * Bundles each handler by itself, minified, with the parts of the SDK that it uses, in one run of the bundler. `handlers` are files
 * relative to the repository; what Lambda calls is `index.handler`.
 */
export async function bundleFunctions(
  handlers: readonly string[],
  outputFolder: string,
): Promise<Map<string, Bundle>> {
  const folderOf = (handler: string) => handler.replace(/^functions\//, '').replace(/\.ts$/, '');
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(handlers.map((handler) => [`${folderOf(handler)}/index`, handler])),
    outdir: outputFolder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    sourcemap: true,
    sourcesContent: false,
    banner: { js: requireBanner },
    alias: { '@aws-sdk/credential-provider-node': join(root, 'lib/adapters/aws/function-credentials.ts') },
    plugins: [withoutUnused],
    logLevel: 'error',
  });
  return new Map(
    handlers.map((handler) => {
      const folder = join(outputFolder, folderOf(handler));
      return [handler, { folder, sizeBytes: statSync(join(folder, 'index.mjs')).size }];
    }),
  );
}

/** The text of a file of the repository. */
export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
