/**
 * One living process (zombies are left out). `startTime` tells a process from a later one with the same pid.
 */
export type ProcessRow = { pid: number; groupId: number; sessionId: number; startTime: string };

/** Where a platform tells of its processes. */
export type ProcessSource = {
  /** All living processes. */
  rows(): ProcessRow[];
  /** One of them; undefined when it is not alive. */
  row(pid: number): ProcessRow | undefined;
  /**
   * What processes carry in the variable MARKER_VARIABLE of their environment. Those that carry nothing, or
   * do not tell, have no entry.
   */
  markers(pids: readonly number[]): Map<number, string>;
  ageSeconds(row: ProcessRow): number;
};

/** Environment variable that every process of a group inherits, also one that left the group with setsid. */
export const MARKER_VARIABLE = 'RUN_GROUP_ID';
