import { COUNTS_MINUTES_MAX, type CountsRow, type MinuteCounts } from '../../contract/deployments/counts.ts';
import type { DeploymentRef, ListenerRef } from '../../contract/refs.ts';
import type { Deps } from '../../core/deps.ts';
import { finalAt } from '../../core/engine/roll-up-metrics.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import type { Deployment } from '../../core/items/items.ts';
import { addToQuarter, beginQuarter, findTotals, noteQuarter, slotOf } from '../../core/items/metrics.ts';
import { hourOfQuarter, minuteAt, quarterOfMinute } from '../../domain/metrics/times.ts';
import { numberOf } from '../../domain/revision-id.ts';
import { ConditionsFailed, retryRaces, type Write } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';

type CountsDeps = Pick<Deps, 'table' | 'clock'>;

/** The clock of a listener may be ahead by so many minutes. */
const AHEAD_MINUTES_MAX = 5;

/**
 * Keeps what a listener has counted. A minute that comes again replaces the one before, so a claim that is
 * repeated counts nothing twice. Passed over are deployments that are not the listener's, revisions that they
 * do not have, and minutes that are long over. A row that is kept costs a share of one write of its quarter;
 * a deployment costs one read.
 */
export async function takeCounts(
  deps: CountsDeps,
  { tenantId, listenerId }: ListenerRef,
  {
    instance_id: instanceId,
    counts = [],
  }: { instance_id: string; counts?: readonly CountsRow[] | undefined },
): Promise<void> {
  const now = minuteAt(deps.clock.now());
  const recent = counts.filter(
    ({ minute }) => minute >= now - COUNTS_MINUTES_MAX && minute <= now + AHEAD_MINUTES_MAX,
  );
  const all = [...Map.groupBy(recent, ({ deployment_id: id }) => id)];
  await Promise.all(
    all.map(async ([id, rows]) => {
      const deployment = await findDeployment(deps.table, tenantId, id);
      if (deployment === undefined || deployment.listener_id !== listenerId) return;
      if (deployment.status === 'AWAITING_DELETE') return;
      await keep(deps, deployment, instanceId, rows);
    }),
  );
}

async function keep(
  deps: CountsDeps,
  deployment: Deployment,
  instanceId: string,
  rows: readonly CountsRow[],
): Promise<void> {
  const quarters = new Map<number, Record<string, MinuteCounts>>();
  for (const { deployment_id: _, revision_id: revisionId, minute, ...counts } of rows) {
    const number = numberOf(revisionId);
    if (number < 1 || number > deployment.latest_number) continue;
    const quarter = quarterOfMinute(minute);
    const slots = quarters.get(quarter) ?? {};
    slots[slotOf(minute, number, instanceId)] = counts;
    quarters.set(quarter, slots);
  }
  for (const [quarter, slots] of quarters) await keepQuarter(deps, deployment, quarter, slots);
}

/** Mostly one write: what is there already is added to. */
async function keepQuarter(
  { table }: CountsDeps,
  { tenant_id: tenantId, id: deploymentId, name }: Deployment,
  quarter: number,
  slots: Readonly<Record<string, MinuteCounts>>,
): Promise<void> {
  const ref = { tenantId, deploymentId };
  const added = await made(table, addToQuarter(ref, quarter, slots));
  if (added !== 'absent') return;
  // Before the quarter is there: should this end in between, what comes again begins it.
  await note(table, ref, { name, quarter });
  const begun = await made(table, beginQuarter(ref, quarter, slots));
  if (begun === 'refused') await made(table, addToQuarter(ref, quarter, slots));
}

/** `absent`: it was not made, as nothing is there; `refused`: for another reason. */
async function made(table: Deps['table'], wanted: Write): Promise<'made' | 'absent' | 'refused'> {
  try {
    await write(table, wanted);
    return 'made';
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    return error.failed.get(wanted.name) === undefined ? 'absent' : 'refused';
  }
}

/** Has the hour of a quarter made once it is over, where a later one is not noted. */
async function note(
  table: Deps['table'],
  ref: DeploymentRef,
  { name, quarter }: { name: string; quarter: number },
): Promise<void> {
  await retryRaces(table, async () => {
    const before = await findTotals(table, ref);
    if (before !== undefined && before.quarter >= quarter) return;
    const lookAt = finalAt(hourOfQuarter(quarter));
    await write(table, noteQuarter(ref, before, { name, quarter, lookAt }));
  });
}
