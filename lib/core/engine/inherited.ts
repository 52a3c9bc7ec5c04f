import type { DeploymentRef } from '../../contract/refs.ts';
import type { Deps } from '../deps.ts';
import type { Revision } from '../items/items.ts';
import { findRevisionByNumber } from '../items/revisions.ts';

/**
 * The revision that says what another one runs: the nearest earlier one that settled it. Skipped ones are
 * passed over, inheriting ones looked through.
 */
export async function inheritedFrom(
  deps: Pick<Deps, 'table'>,
  ref: DeploymentRef,
  revision: Revision,
): Promise<Revision | undefined> {
  for (let number = revision.number - 1; number > 0; number--) {
    const before = await findRevisionByNumber(deps.table, ref, number);
    if (before === undefined) return undefined;
    const settled = before.artifact !== undefined || before.revision_config.repo_commit_sha !== undefined;
    if (before.status !== 'SKIPPED' && (settled || !before.inherits)) return before;
  }
  return undefined;
}
