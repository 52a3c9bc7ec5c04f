import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bundle } from '../../../lib/infra/bundles.ts';
import { ceilingGroup } from './bundle-ceilings.ts';

/** Names of packages in minified code of ours; not Node's own modules, nor files beside it. */
const packageName = /\b(?:from|import)\(?"(@?[a-z][\w./-]*)"/g;

/**
 * The functions that may be the heaviest under their ceiling, told by our own code alone: no other under it
 * has as much of it and all of their packages. `own`: all functions, bundled without packages. Throws when
 * one seems to need no package.
 */
export async function heaviestFunctions(own: ReadonlyMap<string, Bundle>): Promise<string[]> {
  const all = [...own].toSorted(([, one], [, other]) => other.sizeBytes - one.sizeBytes);
  const heaviest: { handler: string; group: string; packages: Set<string> }[] = [];
  for (const [handler, { folder }] of all) {
    const group = ceilingGroup(handler);
    const packages = await packagesIn(join(folder, 'index.mjs'));
    if (packages.size === 0) throw new Error(`${handler} needs no package`);
    const lighter = heaviest.some((one) => one.group === group && packages.isSubsetOf(one.packages));
    if (!lighter) heaviest.push({ handler, group, packages });
  }
  return heaviest.map(({ handler }) => handler);
}

async function packagesIn(file: string): Promise<Set<string>> {
  const text = await readFile(file, 'utf8');
  return new Set([...text.matchAll(packageName)].map(([, name = '']) => name));
}
