import { chmod, copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildFailure } from '../failure.ts';
import type { BuildPlan } from '../plan.ts';
import type { BuildHost } from '../plan-project.ts';
import { NODE_MAJOR, NODE_MAJORS, PYTHONS } from '../versions.ts';
import { INPUTS } from './dockerfiles.ts';

/**
 * What folders are built with: a machine runs them, which need not have what they were built with. yarn and
 * pnpm come by npx, in the version that the project names.
 */
export const folderPlace: BuildHost = {
  tools: new Set(['npm', 'npx', 'go', 'cargo']),
  // The machine that starts it has this one.
  nodeMajors: [NODE_MAJOR],
  async python({ version: named, fits, from }) {
    const version = named ?? PYTHONS.find(fits);
    if (version === undefined)
      throw new BuildFailure(`${from}, and builds in AWS have Python ${PYTHONS.join(', ')}`);
    return { version, executable: `/usr/local/bin/python${version}` };
  },
};

/** What images are built with, and have: each gets the tools that its source needs. */
export const imagePlace: BuildHost = {
  ...folderPlace,
  tools: new Set([...folderPlace.tools, 'bun', 'deno']),
  nodeMajors: NODE_MAJORS,
  bringsManagers: true,
};

/** Beside this builder, and in the folder of a plan for Slipway's own agent server: its worker. */
export const WORKER = 'slipway_worker';

/** A file of the source that installations depend on: its path there, and where it lies. */
type Input = { path: string; from: string };

/**
 * The folder that an image build sees as /slipway, with its Dockerfile: the plan, this builder, and the
 * Node.js that it runs on. The project's .dockerignore has no say in it.
 */
export async function writePlanned(
  work: string,
  plan: BuildPlan,
  dockerfile: string,
  { withNode = false, inputs = [] }: { withNode?: boolean; inputs?: readonly Input[] },
): Promise<{ folder: string; dockerfile: string }> {
  const folder = join(work, 'planned');
  await mkdir(folder);
  await writeFile(join(folder, 'Dockerfile'), dockerfile);
  await writeFile(join(folder, 'Dockerfile.dockerignore'), '');
  await writeFile(join(folder, 'plan.json'), JSON.stringify(plan));
  await copyFile(fileURLToPath(import.meta.url), join(folder, 'builder.mjs'));
  const worker = fileURLToPath(new URL(WORKER, import.meta.url));
  if (plan.isDurable) await cp(worker, join(folder, WORKER), { recursive: true });
  if (withNode) {
    await copyFile(process.execPath, join(folder, 'node'));
    await chmod(join(folder, 'node'), 0o755);
  }
  for (const { path, from } of inputs) {
    const to = join(folder, INPUTS, path);
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, to);
  }
  return { folder, dockerfile: join(folder, 'Dockerfile') };
}
