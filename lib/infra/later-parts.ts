import { basename, join } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';

/**
 * Modules of our own that are loaded with `await import(…)` are needed by few requests, and would make every function start later. They
 * become files beside the code of the functions that name them.
 */
export class LaterParts {
  /** The files that functions name, and what each is made of. */
  readonly sources = new Map<string, string>();

  readonly plugin: Plugin = {
    name: 'later-parts',
    setup: (build) => {
      build.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const file = `${basename(path, '.ts')}.mjs`;
        this.sources.set(file, join(resolveDir, path));
        return { path: `./${file}`, external: true };
      });
    },
  };

  /** The files that this output names. */
  namedBy({ imports }: Metafile['outputs'][string]): string[] {
    return imports.map(({ path }) => path.replace('./', '')).filter((file) => this.sources.has(file));
  }
}
