import { registerHooks } from 'node:module';

const root = new URL('../../../', import.meta.url);
const isOurs = (file: string): boolean => !file.startsWith('node_modules/');
let copies = 0;

export type FreshModules = {
  /** The module of a file, by its path in the project. */
  load<Module>(file: string): Promise<Module>;
  close(): void;
};

/**
 * Loads modules as a new process does, with everything of ours that they import: what they keep is shared
 * with no other test. `instead`: source code that stands for a file, by its path in the project. `isFresh`:
 * which files, where others may be shared.
 */
export function freshModules(instead: Record<string, string> = {}, isFresh = isOurs): FreshModules {
  copies += 1;
  const mark = `?copy=${copies}`;
  const copyOf = (file: string): string => `${new URL(file, root)}${mark}`;
  const sources = new Map(Object.entries(instead).map(([file, source]) => [copyOf(file), source]));
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context);
      if (context.parentURL?.endsWith(mark) !== true || !found.url.startsWith(root.href)) return found;
      if (!isFresh(found.url.slice(root.href.length))) return found;
      return { ...found, url: `${found.url}${mark}` };
    },
    load(url, context, nextLoad) {
      const source = sources.get(url);
      if (source === undefined) return nextLoad(url, context);
      return { format: 'module', source, shortCircuit: true };
    },
  });
  return { load: (file) => import(copyOf(file)), close: () => hooks.deregister() };
}
