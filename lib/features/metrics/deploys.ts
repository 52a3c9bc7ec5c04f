import { deploymentRefOf } from '../../core/items/deployments.ts';
import type { Deployment, Revision } from '../../core/items/items.ts';
import { revisionsBetween } from '../../core/items/revisions.ts';
import type { Table } from '../../store/table.ts';
import type { Time } from './measured.ts';

/** A revision that began to serve `at` (epoch milliseconds). */
export type Deploy = { revision: Revision; at: number };

/** Most answers need the newest few. */
const READ_AT_ONCE = 10;
/** Of a deployment whose revisions fail all the time no more are looked through. */
const READ_MAX = 100;

function deployedAt({ history }: Revision): number | undefined {
  const found = history.find(({ status }) => status === 'DEPLOYED');
  return found && Date.parse(found.at);
}

/**
 * What began to serve before the end of a time, the newest first, up to what served when it began: they
 * follow each other as their numbers do. A hundred revisions are looked through at most.
 */
export async function deploysOf(table: Table, deployment: Deployment, { from, to }: Time): Promise<Deploy[]> {
  const found: Deploy[] = [];
  const oldest = Math.max(1, deployment.latest_number - READ_MAX + 1);
  for (let newest = deployment.latest_number; newest >= oldest; newest -= READ_AT_ONCE) {
    const first = Math.max(oldest, newest - READ_AT_ONCE + 1);
    for await (const revision of revisionsBetween(table, deploymentRefOf(deployment), first, newest)) {
      const at = deployedAt(revision);
      if (at === undefined || at >= to) continue;
      found.push({ revision, at });
      if (at < from) return found;
    }
  }
  return found;
}
