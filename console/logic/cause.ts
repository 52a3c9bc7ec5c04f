import type { Revision } from '../../lib/client/endpoints.ts';
import { numberOf } from '../../lib/client/revision.ts';

/** Why there is this revision, in a few words; null: somebody asked for it, as for most. */
export function causeOf({ cause: { kind, revision_id, reason } }: Pick<Revision, 'cause'>): string | null {
  if (kind === 'push') return 'By a push';
  if (kind === 'head') return 'By a push that the branch’s head told of';
  if (kind === 'redeploy') {
    const again =
      revision_id === null
        ? 'Runs an earlier revision again'
        : `Runs revision ${numberOf(revision_id)} again`;
    return reason === null ? again : `${again}: ${reason}`;
  }
  return null;
}
