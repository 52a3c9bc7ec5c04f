import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

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
