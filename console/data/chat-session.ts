import { asError, isRecord, listAt } from '../logic/chat/json.ts';
import {
  type AgentEvent,
  begun,
  type Conversation,
  conversationOf,
  emptyConversation,
  messagesOf,
  taken,
} from '../logic/chat/run.ts';
import type { Checkpoint, Thread } from '../logic/chat/threads.ts';
import { type Timings, timed } from '../logic/chat/timing.ts';
import type { AgentPlace } from './agent.ts';
import { cancelRun, joinRun, makeThread, type RunBody, readState, runningOn, startRun } from './agent-run.ts';

export type ChatState = {
  threadId: string | undefined;
  conversation: Conversation;
  timings: Timings;
  activity: 'idle' | 'loading' | 'running' | 'stopping';
  /** How long the last run took; undefined while one goes on, and of one that was not seen. */
  tookMilliseconds: number | undefined;
  /** Somebody has stopped the last run here. */
  wasStopped: boolean;
  /** What kept the page from hearing the agent. */
  error: Error | undefined;
  /** Where the next run begins, if not at the end of the thread. */
  from: Checkpoint | undefined;
};

const nothing: ChatState = {
  threadId: undefined,
  conversation: emptyConversation,
  timings: new Map(),
  activity: 'idle',
  tookMilliseconds: undefined,
  wasStopped: false,
  error: undefined,
  from: undefined,
};

type Told = {
  /** Something is to be drawn. */
  onState: (state: ChatState) => void;
  /** A run made this thread. */
  onThread: (thread: Thread) => void;
  /** A run has ended: what lists threads is old. */
  onEnd: () => void;
  /** Calls once the next frame is drawn: tokens come faster than that. */
  nextFrame: (draw: () => void) => void;
};

/** A thread of an agent as it goes on, a run at a time. Another one begins with `open`. */
export class ChatSession {
  #state = nothing;
  #waiting: AgentEvent[] = [];
  #hearing: AbortController | undefined;
  readonly #place: AgentPlace;
  readonly #told: Told;

  constructor(place: AgentPlace, told: Told) {
    this.#place = place;
    this.#told = told;
  }

  get state(): ChatState {
    return this.#state;
  }

  #become(changes: Partial<ChatState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#told.onState(this.#state);
  }

  /** Nobody hears what goes on any more; the agent goes on. */
  close(): void {
    this.#hearing?.abort();
    this.#hearing = undefined;
    this.#waiting = [];
  }

  /** Reads a thread, and goes on hearing the run that is under way there. Undefined: the next one is new. */
  async open(threadId: string | undefined): Promise<void> {
    // One that a run has just made is known.
    if (threadId !== undefined && threadId === this.#state.threadId) return;
    this.close();
    this.#become({ ...nothing, threadId, activity: threadId === undefined ? 'idle' : 'loading' });
    if (threadId === undefined) return;
    const gone = (this.#hearing = new AbortController());
    try {
      const [state, run] = await Promise.all([
        readState(this.#place, threadId, gone.signal),
        runningOn(this.#place, threadId, gone.signal),
      ]);
      if (gone.signal.aborted) return;
      this.#become({ conversation: conversationOf(state), activity: 'idle' });
      if (run !== undefined)
        await this.#hear(threadId, (signal) => joinRun(this.#place, threadId, run, signal));
    } catch (error) {
      if (!gone.signal.aborted) this.#become({ error: asError(error), activity: 'idle' });
    }
  }

  /** Starts a run, on a new thread if none is open. */
  async run(assistant: string, title: string, body: RunBody): Promise<void> {
    const { from, conversation } = this.#state;
    this.close();
    this.#become({ conversation: withSent(begun(conversation), body), from: undefined, activity: 'running' });
    const at = from === undefined ? {} : { checkpoint: from.checkpoint };
    try {
      const threadId = this.#state.threadId ?? (await this.#begin(title));
      await this.#hear(threadId, (signal) =>
        startRun(this.#place, threadId, { assistant, ...body, ...at }, signal),
      );
    } catch (error) {
      this.#become({ error: asError(error), activity: 'idle' });
    }
  }

  async #begin(title: string): Promise<string> {
    const thread = await makeThread(this.#place, title, new AbortController().signal);
    this.#become({ threadId: thread.id });
    this.#told.onThread(thread);
    return thread.id;
  }

  /** Ends the run that goes on; what it has done until then stays. */
  async stop(): Promise<void> {
    const { threadId, conversation } = this.#state;
    if (threadId === undefined) return;
    this.#become({ activity: 'stopping' });
    const { signal } = new AbortController();
    try {
      const run = conversation.runId ?? (await runningOn(this.#place, threadId, signal));
      if (run !== undefined) await cancelRun(this.#place, threadId, run, signal);
    } catch (error) {
      this.#become({ error: asError(error), activity: 'running' });
    }
  }

  /** Shows a thread as it was, for the next run to begin there. Undefined: as it is. */
  async goFrom(checkpoint: Checkpoint | undefined): Promise<void> {
    const { threadId } = this.#state;
    if (checkpoint !== undefined) {
      const conversation = { ...emptyConversation, values: checkpoint.values };
      return this.#become({ from: checkpoint, conversation });
    }
    this.#become({ threadId: undefined });
    return this.open(threadId);
  }

  /** Hears a run to its end; then what the thread holds is read: not every server says all in its events. */
  async #hear(threadId: string, begin: (signal: AbortSignal) => AsyncGenerator<AgentEvent>): Promise<void> {
    const gone = (this.#hearing = new AbortController());
    const since = performance.now();
    this.#become({ activity: 'running', wasStopped: false, error: undefined, tookMilliseconds: undefined });
    try {
      for await (const event of begin(gone.signal)) this.#take(event);
      const state = conversationOf(await readState(this.#place, threadId, gone.signal));
      this.#draw();
      this.#become({ conversation: settled(this.#state.conversation, state) });
    } catch (error) {
      if (!gone.signal.aborted) this.#become({ error: asError(error) });
    }
    if (gone.signal.aborted) return;
    this.#draw();
    const wasStopped = this.#state.activity === 'stopping';
    this.#become({ activity: 'idle', wasStopped, tookMilliseconds: performance.now() - since });
    this.#told.onEnd();
  }

  #take(event: AgentEvent): void {
    this.#waiting.push(event);
    if (this.#waiting.length === 1) this.#told.nextFrame(() => this.#draw());
  }

  #draw(): void {
    const events = this.#waiting.splice(0);
    if (events.length === 0) return;
    const conversation = events.reduce(taken, this.#state.conversation);
    const { messages } = messagesOf(conversation);
    this.#become({ conversation, timings: timed(this.#state.timings, messages, performance.now()) });
  }
}

/** An error that the run itself has told is the better text. */
const settled = (before: Conversation, state: Conversation): Conversation => ({
  ...before,
  values: state.values ?? before.values,
  interrupts: state.interrupts,
  arriving: new Map(),
  error: before.error ?? state.error,
});

/** What was sent is seen at once. */
function withSent(before: Conversation, { input }: RunBody): Conversation {
  const arriving = new Map(before.arriving);
  for (const message of listAt(input, 'messages'))
    if (isRecord(message)) arriving.set(String(message.id), message);
  return { ...before, arriving };
}
