import { measured as allMeasured, type Unmeasured } from '../../contract/deployments/counts.ts';
import type { Deployment, Revision } from '../../core/items/items.ts';
import { findUnmeasured } from '../../core/items/unmeasured.ts';
import { serverOf } from '../../domain/agent-server.ts';
import type { Measured } from '../../domain/metrics/shown.ts';
import type { Table } from '../../store/table.ts';

/** Nothing is measured, for this reason. */
export const allMissing = (why: string): Unmeasured[] => allMeasured.map((what) => ({ what, why }));

const SILENT =
  'The listener of this deployment sends no measurements. A listener of an earlier version sends none: update it.';
const NO_RUNS = 'The server of this agent does not tell of its runs.';

/**
 * What is not measured of a deployment on a listener: what that says, and runs of which the server of an
 * agent is silent. `serving`: its newest revision that was deployed, if there is one.
 */
export async function missingOf(
  table: Table,
  { tenant_id: tenantId, listener_id: listenerId, config }: Deployment,
  serving: Revision | undefined,
  measured: readonly Measured[],
): Promise<Unmeasured[]> {
  const said = await findUnmeasured(table, { tenantId, listenerId });
  if (said === undefined && measured.length === 0) return allMissing(SILENT);
  const missing = said ?? [];
  const isKnown = measured.length === 0 || measured.some(({ counts }) => counts.runs !== undefined);
  if (isKnown || serving === undefined || missing.some(({ what }) => what === 'runs')) return missing;
  const server = serverOf(
    { source: serving.source, server: serving.artifact?.server },
    config.resource_spec ?? {},
  );
  return server === 'langgraph' ? [...missing, { what: 'runs', why: NO_RUNS }] : missing;
}
