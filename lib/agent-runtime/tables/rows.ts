/**
 * Raw JSON text. Documents of users are never parsed and written again: that would round 9007199254740993,
 * and turn 1.0 into 1.
 */
export type Json = string;

/** A time as the HTTP API has it: `2026-11-26T12:00:00.123456+00:00`. */
export type Timestamp = string;

export type AssistantRow = {
  assistant_id: string;
  graph_id: string;
  name: string;
  description: string | null;
  config: Json;
  context: Json;
  metadata: Json;
  version: number;
  created_at: Timestamp;
  updated_at: Timestamp;
};

export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error';

export type ThreadRow = {
  thread_id: string;
  status: ThreadStatus;
  metadata: Json;
  config: Json;
  /** Null before the first run has ended. */
  values: Json | null;
  /** An object: by the id of each waiting task the list of its interrupts. */
  interrupts: Json;
  error: Json | null;
  /** The state as it was when the last run ended, which serves a pinned thread. */
  state: Json | null;
  /** The nodes that would run next. */
  next: string[];
  /** The last run ended at an interrupt or a breakpoint. */
  waits: boolean;
  graph_id: string | null;
  /**
   * The build that alone may go on with the thread, and the revision that it was of. Null: the serving build
   * does.
   */
  build_id: string | null;
  revision_id: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  state_updated_at: Timestamp | null;
};

export type RunStatus = 'pending' | 'running' | 'success' | 'error' | 'timeout' | 'interrupted';

export type MultitaskStrategy = 'enqueue' | 'reject' | 'interrupt' | 'rollback';

/** How a run is cancelled: it ends as `interrupted`, or it and its checkpoints are removed. */
export type CancelAction = 'interrupt' | 'rollback';

export type RunRow = {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  graph_id: string;
  build_id: string;
  revision_id: string;
  status: RunStatus;
  multitask_strategy: MultitaskStrategy;
  kwargs: Json;
  metadata: Json;
  /** How often it was claimed. */
  attempt: number;
  /** How often its process has died since its last step. */
  failures: number;
  /** Grows with each claim; with the owner it tells a holder that its lease is another's by now. */
  epoch: number;
  lease_owner: string | null;
  cancel: CancelAction | null;
  /** What `runs.wait` answers. */
  output: Json | null;
  error: Json | null;
  not_before: Timestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
};

/** An event of a run's stream; `seq` grows, with gaps where a run was taken up again. */
export type RunEvent = { seq: number; event: string; data: Json };
