import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFolderOf } from '../../lib/infra/bundles.ts';
import { handlers } from '../../lib/infra/handlers.ts';

/** The templates that were synthesised into a folder, with how many resources each has. */
export async function templatesIn(folder: string): Promise<{ name: string; resources: number }[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.template.json'));
  return Promise.all(
    names.sort().map(async (name) => {
      // What CloudFormation templates always have.
      const template = JSON.parse(await readFile(join(folder, name), 'utf8')) as { Resources: object };
      return { name, resources: Object.keys(template.Resources).length };
    }),
  );
}

/** The bytes of the code of every function that was synthesised into a folder, by handler. */
export async function weightsIn(folder: string): Promise<Map<string, number>> {
  const weights = handlers().map(async (handler) => {
    const { size } = await stat(join(folder, 'bundles', bundleFolderOf(handler), 'index.mjs'));
    return [handler, size] as const;
  });
  return new Map(await Promise.all(weights));
}
