import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildPlan } from '../plan.ts';
import type { BuildHost } from '../plan-project.ts';
import { PYTHON_DEFAULT, PYTHONS } from '../versions.ts';

/** What the official images have. yarn and pnpm come by npx, in the version that the project names. */
export const imagePlace: BuildHost = {
  tools: new Set(['npm', 'npx']),
  async python({ version: named, fits }) {
    const version = named ?? PYTHONS.find(fits) ?? PYTHON_DEFAULT;
    return { version, executable: `/usr/local/bin/python${version}` };
  },
};

/**
 * The folder that an image build sees as /slipway, with its Dockerfile: the plan, this builder, and the
 * Node.js that it runs on. The project's .dockerignore has no say in it.
 */
export async function writePlanned(
  work: string,
  plan: BuildPlan,
  dockerfile: string,
  withNode: boolean,
): Promise<{ folder: string; dockerfile: string }> {
  const folder = join(work, 'planned');
  await mkdir(folder);
  await writeFile(join(folder, 'Dockerfile'), dockerfile);
  await writeFile(join(folder, 'Dockerfile.dockerignore'), '');
  await writeFile(join(folder, 'plan.json'), JSON.stringify(plan));
  await copyFile(fileURLToPath(import.meta.url), join(folder, 'builder.mjs'));
  if (withNode) {
    await copyFile(process.execPath, join(folder, 'node'));
    await chmod(join(folder, 'node'), 0o755);
  }
  return { folder, dockerfile: join(folder, 'Dockerfile') };
}
