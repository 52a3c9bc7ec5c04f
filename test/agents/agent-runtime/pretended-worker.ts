import type {
  GraphListener,
  GraphWorker,
  RunEnd,
  RunInHand,
  WorkerOp,
} from '../../../lib/agent-runtime/queue/port.ts';

/** A graph that a test runs by hand. */
export type PretendedGraph = {
  readonly run: RunInHand;
  readonly listener: GraphListener;
  /** What was asked of it, in order. */
  readonly asked: readonly ('cancel' | 'drain')[];
  end(end: RunEnd): void;
};

export const ended = (next: readonly string[] = [], values = '{"n":1}'): RunEnd => ({
  kind: 'ended',
  values,
  next,
  interrupts: next.length === 0 ? '{}' : '{"task":[{"value":"?","id":"i"}]}',
});

/** A worker whose graphs do what a test says. They obey at once when they are to stop or to drain. */
export class PretendedWorker implements GraphWorker {
  readonly hello = {
    protocol: 1,
    language: 'python' as const,
    langgraph: '1.2.24',
    graphs: { agent: { nodes: ['ask', 'answer', 'sub', 'sub:inner'] } },
  };
  readonly graphs: PretendedGraph[] = [];
  readonly calls: { op: WorkerOp; args: string }[] = [];
  answer: (op: WorkerOp, args: string) => string = () => '{"values":{},"next":[],"interrupts":{}}';

  stream(run: RunInHand, listener: GraphListener) {
    const { promise, resolve } = Promise.withResolvers<RunEnd>();
    const asked: ('cancel' | 'drain')[] = [];
    this.graphs.push({ run, listener, asked, end: resolve });
    return {
      ended: promise,
      cancel: () => {
        asked.push('cancel');
        resolve({ kind: 'cancelled' });
      },
      drain: () => {
        asked.push('drain');
        resolve({ kind: 'drained' });
      },
    };
  }

  async call(op: WorkerOp, args: string): Promise<string> {
    this.calls.push({ op, args });
    return this.answer(op, args);
  }

  onLost(): void {
    // Its process is this one.
  }

  /** From now on threads stand there, by a checkpoint of the newest run. */
  standAt(next: readonly string[]): void {
    this.answer = () => {
      const state = { next, metadata: { run_id: this.graphs.at(-1)?.run.runId } };
      return JSON.stringify({ values: { n: 4 }, next, interrupts: {}, state });
    };
  }

  /** The graph that runs a run now. */
  graphOf(runId: string): PretendedGraph | undefined {
    return this.graphs.findLast(({ run }) => run.runId === runId);
  }
}
