import type {
  CancelAction,
  MultitaskStrategy,
  RunStatus,
  ThreadStatus,
} from '../../../lib/agent-runtime/tables/rows.ts';

export type ModelRun = {
  runId: string;
  threadId: string;
  buildId: string;
  revisionId: string;
  status: RunStatus;
  ready: boolean;
  kwargs: string;
  attempt: number;
  failures: number;
  lastFailure: string | null;
  epoch: number;
  owner: string | null;
  leaseUntil: number | null;
  cancel: CancelAction | null;
  notBefore: number;
  startedAt: number | null;
  output: string | null;
  error: string | null;
};

export type ModelThread = {
  threadId: string;
  status: ThreadStatus;
  next: readonly string[];
  values: string | null;
  error: string | null;
  waits: boolean;
  buildId: string | null;
  revisionId: string | null;
};

export type ModelNewRun = {
  readonly runId: string;
  readonly threadId: string;
  readonly kwargs: string;
  readonly multitaskStrategy: MultitaskStrategy;
  readonly afterMilliseconds: number;
};

/** What keeps the promises, each by its name: a run of the simulation may leave one out. */
export const GUARDS = [
  'turn: one run of a thread at a time',
  'turn: what ends gives its turn to the next one',
  'lease: who ends a run holds it',
  'lease: who puts a run back holds it',
  'lease: a beat renews what is in hand alone',
  'lease: it is over before another takes the run',
  'lease: what is over is taken',
  'lock: a server without one is dead',
  'lock: a server that has beaten lately is not dead without one',
  'fence: who writes a checkpoint holds the run',
  'count: a drain is no failure',
  'count: an outage of Postgres is no failure',
  'count: a death is a failure',
  'count: a claim that was lost is no failure',
  'rollback: a run that is to be rolled back does not end otherwise',
  'cancel: a run that was put back keeps it',
  'pin: a thread that waits keeps its build',
  'pin: a thread with runs keeps its build',
  'release: a run that has begun ends where it is',
  'state: an end writes what comes next',
] as const;
export type Guard = (typeof GUARDS)[number];

export function restingStatus({ error, next }: ModelThread): ThreadStatus {
  if (error !== null) return 'error';
  return next.length > 0 ? 'interrupted' : 'idle';
}

/** Whether a new run is the thread's next one; one that is not due yet gives its turn away. */
export function takesTurn(left: readonly ModelRun[], notBefore: number): boolean {
  const holder = left.find(({ ready }) => ready);
  if (holder === undefined) return !left.some((run) => run.notBefore <= notBefore);
  if (holder.notBefore <= notBefore || holder.status === 'running' || holder.attempt > 0) return false;
  holder.ready = false;
  return true;
}

export const newThread = (threadId: string): ModelThread => ({
  threadId,
  status: 'idle',
  next: [],
  values: null,
  error: null,
  waits: false,
  buildId: null,
  revisionId: null,
});

export const newRun = ({
  runId,
  threadId,
  kwargs,
}: ModelNewRun): Omit<ModelRun, 'buildId' | 'revisionId'> => ({
  runId,
  threadId,
  kwargs,
  status: 'pending',
  ready: false,
  attempt: 0,
  failures: 0,
  lastFailure: null,
  epoch: 0,
  owner: null,
  leaseUntil: null,
  cancel: null,
  notBefore: 0,
  startedAt: null,
  output: null,
  error: null,
});

/** The order in which the runs of a thread have their turn. */
export const byTurn = (a: ModelRun, b: ModelRun): number =>
  a.notBefore - b.notBefore || (a.runId < b.runId ? -1 : 1);
