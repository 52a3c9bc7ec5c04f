import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { BuildState } from '../../adapters/builds.ts';
import { agentServers } from '../../contract/revision-status.ts';
import { writeFileAtomic } from '../../processes/atomic-file.ts';

/** Nobody asks for a build that ended a month ago: its revision has long recorded the outcome. */
const KEPT_MILLISECONDS = 30 * 24 * 3600 * 1000;

const made = {
  platforms: z.array(z.string()).optional(),
  server: z.enum(agentServers).optional(),
  durable: z.boolean().optional(),
};

const artifact = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('folder'),
    key: z.string(),
    sha256: z.string(),
    sizeBytes: z.number(),
    ...made,
  }),
  z.object({ kind: z.literal('image'), uri: z.string(), ...made }),
]);

const endState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('succeeded'), artifact: artifact, commitSha: z.string().optional() }),
  z.object({ state: z.literal('failed'), message: z.string() }),
  z.object({ state: z.literal('stopped') }),
]);

export type EndState = Extract<BuildState, { state: 'succeeded' | 'failed' | 'stopped' }>;

/** How builds ended, one small file a build, so that it is known after a restart too. */
export type Results = {
  has(buildId: string): boolean;
  write(buildId: string, state: EndState): Promise<void>;
  read(buildId: string): Promise<EndState | undefined>;
};

/** Opens the folder and removes results that are a month old. */
export async function openResults(folder: string, now: number): Promise<Results> {
  await mkdir(folder, { recursive: true });
  await removeOld(folder, now);
  const pathOf = (buildId: string) => join(folder, `${buildId}.json`);
  return {
    has: (buildId) => existsSync(pathOf(buildId)),
    write: (buildId, state) => writeFileAtomic(pathOf(buildId), JSON.stringify(state)),
    async read(buildId) {
      const text = await readFile(pathOf(buildId), 'utf8').catch(() => undefined);
      return text === undefined ? undefined : parseEndState(text);
    },
  };
}

function parseEndState(text: string): EndState {
  const parsed = endState.parse(JSON.parse(text));
  return parsed.state === 'succeeded' ? { ...parsed, commitSha: parsed.commitSha } : parsed;
}

async function removeOld(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path);
    if (now - mtimeMs > KEPT_MILLISECONDS || name.endsWith('.tmp')) await rm(path, { force: true });
  }
}
