import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { handlers } from '../../lib/infra/handlers.ts';
import { keptBundles } from '../../lib/infra/kept-bundles.ts';

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

/** The bytes of the code of every function, by handler, as what is deployed from these sources has it. */
export async function weights(): Promise<Map<string, number>> {
  const bundles = await keptBundles(handlers());
  return new Map([...bundles].map(([handler, { sizeBytes }]) => [handler, sizeBytes]));
}
