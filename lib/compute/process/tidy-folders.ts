import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalState } from '../../listener/state.ts';
import { keptBuildsIn } from './kept-builds.ts';

/** What agents keep across revisions, a folder a deployment; and what those that are only tried keep. */
export const STATE_FOLDER = 'state';
export const TRIAL_FOLDER = 'trial';
async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** Removes what an earlier run left half done or no longer needs. Only before anything is started. */
export async function tidyFolders(dataFolder: string, state: LocalState): Promise<void> {
  const root = join(dataFolder, 'deployments');
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const id of await entriesOf(root)) {
    const wanted = state.get(id)?.revision_id ?? undefined;
    const revisions = join(root, id, 'revisions');
    const kept = new Set(keptBuildsIn(join(root, id)).map(({ revision_id }) => revision_id));
    const unused = (await entriesOf(revisions)).filter((name) => name !== wanted && !kept.has(name));
    await Promise.all(unused.map((name) => rm(join(revisions, name), { recursive: true, force: true })));
    // Without a record (it was unreadable) an agent's threads must not go: who deletes the deployment deletes
    // them.
    const holdsThreads = kept.size > 0 || (await entriesOf(join(root, id, STATE_FOLDER))).length > 0;
    const keepsState = state.get(id) === undefined && holdsThreads;
    if (wanted === undefined && !keepsState) await rm(join(root, id), { recursive: true, force: true });
  }
}
