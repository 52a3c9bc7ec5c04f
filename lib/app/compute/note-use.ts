import type { Found } from '../../compute/port.ts';
import { findComputeUse, noteComputeUse } from '../../store/compute-use.ts';
import type { Run, RunDeps } from './run.ts';

/** A count that did not change is noted again after so long: by then it says that somebody still counts. */
const NOTED_AGAIN_MILLISECONDS = 15 * 60_000;

/**
 * Notes how much of what the balancer has is in use, when a look finds another number than is noted. Read
 * once in a run, and written when it changes.
 */
export async function noteUse({ table, clock }: RunDeps, run: Run, { inUse }: Found): Promise<void> {
  if (inUse === undefined || run.compute.quotas === undefined) return;
  const now = clock.now();
  run.use ??= { noted: await findComputeUse(table) };
  const { noted } = run.use;
  const { targetGroups, rules } = inUse;
  const isSame = noted?.target_groups.in_use === targetGroups && noted.rules.in_use === rules;
  if (isSame && now - noted.at < NOTED_AGAIN_MILLISECONDS) return;
  const quotas = await run.compute.quotas();
  const use = {
    at: now,
    target_groups: { in_use: targetGroups, quota: quotas.targetGroups },
    rules: { in_use: rules, quota: quotas.rules },
  };
  await noteComputeUse(table, use);
  run.use = { noted: { v: 1, entity: 'compute_use', ...use } };
}
