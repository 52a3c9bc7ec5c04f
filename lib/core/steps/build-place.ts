import { BuildsAtCapacity } from '../../adapters/builds.ts';
import type { RevisionRef } from '../../contract/refs.ts';
import { stageOf } from '../../domain/transitions.ts';
import type { Deps } from '../deps.ts';
import { type BuildPlace, buildPlaces, takeBuildPlace } from '../items/build-places.ts';
import type { Revision } from '../items/items.ts';
import { findRevision } from '../items/revisions.ts';

type PlaceDeps = Pick<Deps, 'table' | 'settings'>;

/** Each build of a revision has its own name, so that a lost build that reappears overwrites nothing. */
export const buildNameOf = ({ id, builds_lost: lost = 0 }: Revision): string =>
  lost === 0 ? id : `${id}-${lost + 1}`;

/** Each loser of a race looks again; after so many somebody else has always been faster. */
const RACES_MAX = 20;

/**
 * Takes one of the places that a tenant's builds have, unless the build has one; where the builder has a
 * queue of its own there are none. Throws BuildsAtCapacity while as many build as may at once: the build
 * waits, and is not refused.
 */
export async function holdBuildPlace(deps: PlaceDeps, ref: RevisionRef, revision: Revision): Promise<void> {
  const { table, settings } = deps;
  const limit = settings.buildsAtOnce;
  if (limit === undefined) return;
  const own = {
    tenant_id: ref.tenantId,
    deployment_id: ref.deploymentId,
    revision_id: ref.revisionId,
    build_name: buildNameOf(revision),
  };
  for (let race = 0; race < RACES_MAX; race++) {
    const taken = await buildPlaces(table, ref.tenantId);
    if (taken.some(({ build_name }) => build_name === own.build_name)) return;
    const open = await openPlace(deps, taken, limit);
    if (open === undefined) break;
    if (await takeBuildPlace(table, { ...own, place: open.place }, open.before)) return;
  }
  throw new BuildsAtCapacity(`${limit} builds of this tenant are running, which is as many as may at once.`);
}

/** A place that nobody has, or whose build is over; the first looked for without reading anything. */
async function openPlace(
  deps: PlaceDeps,
  taken: readonly BuildPlace[],
  limit: number,
): Promise<{ place: number; before: BuildPlace | undefined } | undefined> {
  const byPlace = new Map(taken.map((each) => [each.place, each]));
  for (let place = 0; place < limit; place++) if (!byPlace.has(place)) return { place, before: undefined };
  for (const before of taken)
    if (before.place < limit && (await isOver(deps, before))) return { place: before.place, before };
  return undefined;
}

async function isOver({ table }: PlaceDeps, place: BuildPlace): Promise<boolean> {
  const { tenant_id: tenantId, deployment_id: deploymentId, revision_id: revisionId } = place;
  const revision = await findRevision(table, { tenantId, deploymentId, revisionId });
  if (revision === undefined || revision.outcome !== undefined) return true;
  return stageOf(revision.status) !== 'build' || buildNameOf(revision) !== place.build_name;
}
