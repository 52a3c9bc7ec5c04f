import { setTimeout as delay } from 'node:timers/promises';
import { type GroupRecord, processesOf } from './table/read.ts';
import type { ProcessRow } from './table/source.ts';

/**
 * How often we look whether a group has ended: an exit is seen at once, at little cost while waiting for a
 * slow one.
 */
const POLL_MILLISECONDS = 25;

function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name);
  } catch {
    // Gone meanwhile, or no longer ours: the next look at the process table decides.
  }
}

function signalMembers(group: GroupRecord, members: ProcessRow[], name: NodeJS.Signals): void {
  const { pid } = group;
  // The whole group in one call: no member can fork out of reach between two signals.
  const grouped = pid !== undefined && members.some((row) => row.groupId === pid);
  if (grouped) signal(-pid, name);
  for (const row of members) if (!grouped || row.groupId !== pid) signal(row.pid, name);
}

/**
 * Sends SIGKILL until no member is left. A process in an uninterruptible wait delays it; nothing else does.
 * `looks` have already found nobody.
 */
export async function killGroup(group: GroupRecord, looks = 0): Promise<void> {
  let emptyLooks = looks;
  // Two looks: a process that was being forked during the first is seen in the second.
  while (emptyLooks < 2) {
    const members = processesOf(group);
    emptyLooks = members.length === 0 ? emptyLooks + 1 : 0;
    signalMembers(group, members, 'SIGKILL');
    await delay(emptyLooks === 0 ? POLL_MILLISECONDS : 5);
  }
}

/**
 * Whether no process is in the group of the first one: the kernel knows, so nothing can be forked into it
 * unseen.
 */
export function isEmpty({ pid }: Pick<GroupRecord, 'pid'>): boolean {
  if (pid === undefined) return true;
  try {
    process.kill(-pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/**
 * Ends a group: SIGTERM, after `graceMilliseconds` SIGKILL, also to members that left the process group.
 * Resolves when none of them is alive.
 */
export async function stopGroup(group: GroupRecord, graceMilliseconds: number): Promise<void> {
  const deadline = Date.now() + graceMilliseconds;
  let members = graceMilliseconds > 0 ? processesOf(group) : [];
  signalMembers(group, members, 'SIGTERM');
  while (Date.now() < deadline && members.length > 0) {
    await delay(POLL_MILLISECONDS);
    members = processesOf(group);
  }
  await killGroup(group, members.length === 0 && graceMilliseconds > 0 ? 1 : 0);
}
