import type { ConsoleFiles } from '../adapters/console-files.ts';
import { bundleConsole, filesOf } from '../console-bundle/bundle.ts';
import { once } from '../contract/once.ts';

/** The console, made in memory when it is first opened: a fifth of a second, and no built file to keep. */
export const bundledConsole = (): ConsoleFiles => filesOf(once(bundleConsole));
