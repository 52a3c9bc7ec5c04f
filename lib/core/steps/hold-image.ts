import type { RevisionRef } from '../../contract/refs.ts';
import type { Deps } from '../deps.ts';
import { findRevision } from '../items/revisions.ts';

/**
 * Makes sure that the registry keeps the image of a revision that has just been deployed, however many are
 * pushed after it.
 */
export async function holdDeployedImage(
  deps: Pick<Deps, 'table' | 'images'>,
  ref: RevisionRef,
): Promise<void> {
  const revision = await findRevision(deps.table, ref);
  if (revision?.status !== 'DEPLOYED') return;
  const uri =
    revision.artifact?.kind === 'image' ? revision.artifact.uri : revision.revision_config.image_uri;
  if (uri !== undefined) await deps.images.hold(ref, uri);
}
