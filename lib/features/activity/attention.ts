import { allows } from '../../contract/roles.ts';
import type { RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { packedId } from '../../core/items/deployment-rows.ts';
import type { DeploymentRow } from '../../core/items/items.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { rowsOf } from '../deployments/store.ts';
import { failingDeployments } from './attention-deployments.ts';
import { endingKeys, offlineListeners, type SilentListener } from './attention-others.ts';
import { failingWebhooks } from './attention-webhooks.ts';
import type { listAttention as row } from './routes.ts';
import type { AttentionEntry } from './shape.ts';

const SHOWN_MAX = 100;
const ROWS_PER_READ = 1000;

/**
 * What needs somebody, newest first: revisions that failed and that no newer one replaces, servers that are
 * unhealthy or keep restarting, listeners that deployments wait for, webhooks that fail and keys that end
 * soon. Of webhooks and keys only for who may see those. Nothing is written for it.
 */
export async function listAttention(
  deps: Pick<Deps, 'table' | 'clock'>,
  _: unknown,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const { tenantId, role } = caller;
  const lists = { table: deps.table, tenantId, others: true, deleted: false };
  const rows = await collected(rowsOf(lists, ROWS_PER_READ));
  const silent = await offlineListeners(deps, tenantId, rows);
  const isSilent = inSilence(silent);
  const found = await Promise.all([
    failingDeployments(deps, tenantId, rows, isSilent),
    allows(role, 'webhooks:read') ? failingWebhooks(deps, tenantId) : [],
    allows(role, 'keys:read') ? endingKeys(deps, caller) : [],
  ]);
  const entries: AttentionEntry[] = [...silent.map(({ entry }) => entry), ...found.flat()];
  const resources = entries
    .toSorted((one, other) => Date.parse(other.since) - Date.parse(one.since))
    .slice(0, SHOWN_MAX);
  return { resources };
}

/** What runs on a silent listener is not known: that is said once, of the listener. */
function inSilence(silent: readonly SilentListener[]): (row: DeploymentRow) => boolean {
  const ids = new Set(silent.map(({ id }) => packedId(id)));
  return ({ listener }) => ids.has(listener);
}
