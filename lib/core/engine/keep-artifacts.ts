import type { Ending } from '../../domain/ending.ts';
import { artifactNumberOf, artifactsOf } from '../../domain/file-places.ts';
import { retain } from '../../domain/retention.ts';
import type { Deps } from '../deps.ts';
import { slotHolder } from '../items/deployments.ts';
import type { Revision } from '../items/items.ts';
import type { KeptArtifacts } from '../items/parts.ts';
import { findRevisionByNumber } from '../items/revisions.ts';
import { inheritedFrom } from './inherited.ts';
import type { Loaded } from './load.ts';

type KeepDeps = Pick<Deps, 'table' | 'blobs' | 'settings'>;

/** What is written of the artifacts of a deployment, and the keys of those that go. */
export type ArtifactPlan = { artifacts: KeptArtifacts; keys: string[] };

/**
 * Which artifacts stay when a revision ends. It still has the slot, so no other revision chooses what it runs
 * meanwhile. What goes is noted in the write that ends it, before anything is deleted: whoever has the slot
 * next finds it noted, or finds it kept. Undefined when the revision ran no artifact, or when all of them go
 * with the deployment.
 */
export async function planArtifacts(
  deps: KeepDeps,
  { owner, deployment }: Loaded,
  revision: Revision,
  ending: Ending,
): Promise<ArtifactPlan | undefined> {
  const others = deployment.slot !== undefined && slotHolder(deployment) !== revision.id;
  if (revision.artifact?.kind !== 'folder' || deployment.status === 'AWAITING_DELETE' || others)
    return undefined;
  const active = ending.status === 'DEPLOYED' ? revision.number : deployment.active?.number;
  const users = [...deployment.queued, ...(active === undefined ? [] : [active])];
  const [files, ...needed] = await Promise.all([
    deps.blobs.list(artifactsOf(owner)),
    ...users.map((number) => artifactOfRevision(deps, owner, number === revision.number ? revision : number)),
  ]);
  const stored = files
    .map(({ key, sizeBytes }) => ({ key, number: artifactNumberOf(key), sizeBytes }))
    // What no build has left is nobody's to delete.
    .filter(({ number }) => Number.isInteger(number));
  const { kept, dropped } = retain(
    stored,
    new Set(needed.filter((number) => number !== undefined)),
    new Set(deployment.artifacts?.dropped),
    deps.settings.keptArtifacts,
  );
  const numbers = dropped.map(({ number }) => number);
  return {
    artifacts: {
      count: kept.length,
      size_bytes: kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      dropped: numbers,
    },
    keys: stored.filter(({ number }) => numbers.includes(number)).map(({ key }) => key),
  };
}

/** The number of the revision whose build made what this one runs, or will run as far as is known. */
async function artifactOfRevision(
  deps: KeepDeps,
  owner: Loaded['owner'],
  user: Revision | number,
): Promise<number | undefined> {
  const revision = typeof user === 'number' ? await findRevisionByNumber(deps.table, owner, user) : user;
  const from = revision?.inherits === true ? await inheritedFrom(deps, owner, revision) : revision;
  const artifact = revision?.artifact ?? from?.artifact;
  return artifact?.kind === 'folder' ? artifactNumberOf(artifact.key) : undefined;
}

/** Deletes what a plan that is written says. What is cut off is done when the next revision ends. */
export async function deleteDropped({ blobs }: Pick<Deps, 'blobs'>, { keys }: ArtifactPlan): Promise<void> {
  await Promise.all(keys.map((key) => blobs.delete(key)));
}
