/**
 * How an execution is. `stopped`: the runtime that ran it was stopped in order, so it is to go on. `aborted`:
 * an operator ended it by hand. `absent`: the workflow knows of none of this name, which is eventually
 * consistent.
 */
export type ExecutionStatus =
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'timed_out'
  | 'stopped'
  | 'aborted'
  | 'absent';
