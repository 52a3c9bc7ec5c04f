import { copyFileSync, cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundler } from './bundles.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = 'lib/builds/codebuild/main.ts';
/** In the language of the tool that it drives; it runs in a container of its own. */
const SCRIPT = 'lib/builds/codebuild/describe.py';
/** What goes into artifacts whose graphs Slipway's own agent server runs. */
const WORKER = 'lib/agent-runtime/python/slipway_worker';

/** Bundles the builder that CodeBuild runs, and puts beside it what it needs in Python. Gives the folder. */
export async function bundleBuilder(folder: string): Promise<string> {
  await build({
    ...bundler,
    absWorkingDir: root,
    entryPoints: { builder: MAIN },
    outExtension: { '.js': '.mjs' },
    outdir: folder,
  });
  copyFileSync(join(root, SCRIPT), join(folder, basename(SCRIPT)));
  const filter = (path: string) => basename(path) !== '__pycache__';
  cpSync(join(root, WORKER), join(folder, basename(WORKER)), { recursive: true, filter });
  return folder;
}
