import { fieldAt, isRecord, type Json, listAt, numberAt, textAt } from './json.ts';
import { type ChatMessage, joined, messagesIn, shownMessages } from './message.ts';

export type AgentEvent = { kind: string | undefined; data: unknown };
/** `schema`: of the answer, where the agent says it. */
export type Interrupt = { id: string; value: unknown; schema: unknown };

/** So many messages are on the page at most; what comes earlier stays with the agent. */
export const MESSAGES_MAX = 5_000;

/** A thread as far as it has come: what it held before, and what a run adds. */
export type Conversation = {
  values: unknown;
  interrupts: Interrupt[];
  /** Of the run under way, or the last one. */
  runId: string | undefined;
  /** The node that runs, and the how manieth step it is. */
  node: string | undefined;
  step: number | undefined;
  error: string | undefined;
  /** Messages that arrive, by id, in the order in which they began. */
  arriving: ReadonlyMap<string, Json>;
};

export const emptyConversation: Conversation = {
  values: undefined,
  interrupts: [],
  runId: undefined,
  node: undefined,
  step: undefined,
  error: undefined,
  arriving: new Map(),
};

const isOfAGraphInside = (kind: string): boolean => kind.includes('|');

/** What an event of a run changes. Unknown ones change nothing. */
export function taken(before: Conversation, { kind = '', data }: AgentEvent): Conversation {
  if (isOfAGraphInside(kind)) return before;
  if (kind === 'metadata') return { ...before, runId: textAt(data, 'run_id') ?? before.runId };
  if (kind === 'messages') return withPiece(before, data);
  if (kind === 'values') return withValues(before, data);
  if (kind === 'updates') return withUpdates(before, data);
  if (kind === 'error') return { ...before, error: errorText(data) };
  return before;
}

/** A piece of a message, and what runs it. */
function withPiece(before: Conversation, data: unknown): Conversation {
  const [piece, about] = Array.isArray(data) ? (data as unknown[]) : [];
  if (!isRecord(piece)) return before;
  const id = textAt(piece, 'id') ?? `arriving ${before.arriving.size}`;
  const arriving = new Map(before.arriving);
  arriving.set(id, joined(arriving.get(id), piece));
  const node = textAt(about, 'langgraph_node') ?? before.node;
  return { ...before, arriving, node, step: numberAt(about, 'langgraph_step') ?? before.step };
}

const INTERRUPTS = '__interrupt__';

/** The whole state after a step: it holds what has arrived of it. */
function withValues(before: Conversation, data: unknown): Conversation {
  const raw = listAt(data, INTERRUPTS);
  const values = isRecord(data)
    ? Object.fromEntries(Object.entries(data).filter(([name]) => name !== INTERRUPTS))
    : data;
  const interrupts = raw.length > 0 ? interruptsOf(raw) : before.interrupts;
  return { ...before, values, interrupts, arriving: new Map() };
}

function withUpdates(before: Conversation, data: unknown): Conversation {
  const raw = listAt(data, INTERRUPTS);
  if (raw.length > 0) return { ...before, interrupts: interruptsOf(raw) };
  const node = isRecord(data) ? Object.keys(data).at(-1) : undefined;
  return node === undefined ? before : { ...before, node };
}

export const interruptsOf = (raw: readonly unknown[]): Interrupt[] =>
  raw.map((each, at) => ({
    id: textAt(each, 'id') ?? textAt(each, 'interrupt_id') ?? `question ${at}`,
    value: fieldAt(each, 'value'),
    schema: fieldAt(each, 'response_schema'),
  }));

/** What an error of a run or of the server says, in whichever shape. */
export function errorText(data: unknown): string {
  if (typeof data === 'string') return data;
  const name = textAt(data, 'error') ?? '';
  const said = textAt(data, 'message') ?? textAt(data, 'detail') ?? '';
  if (name !== '' && said !== '') return `${name}: ${said}`;
  return name || said || JSON.stringify(data) || 'The run ended with an error.';
}

/** A run begins: what the one before has asked and said of itself is over. */
export const begun = (before: Conversation): Conversation => ({
  ...emptyConversation,
  values: before.values,
});

/** A thread as its server keeps it. */
export function conversationOf(state: unknown): Conversation {
  const tasks = listAt(state, 'tasks');
  const direct = listAt(state, 'interrupts');
  const asked = direct.length > 0 ? direct : tasks.flatMap((task) => listAt(task, 'interrupts'));
  const failed = tasks.map((task) => fieldAt(task, 'error')).find((error) => isSaid(error));
  return {
    ...emptyConversation,
    values: fieldAt(state, 'values') ?? undefined,
    interrupts: interruptsOf(asked),
    error: failed === undefined ? undefined : errorText(failed),
  };
}

const isSaid = (error: unknown): boolean => error !== undefined && error !== null && error !== '';

export type Shown = {
  messages: ChatMessage[];
  /** There are earlier ones that the page does not show. */
  isCut: boolean;
};

/** The messages of a conversation, those that arrive at the end. */
export function messagesOf({ values, arriving }: Conversation): Shown {
  const settled = messagesIn(values) ?? [];
  const known = new Set(settled.map((message) => textAt(message, 'id')));
  const all = [...settled, ...[...arriving].flatMap(([id, message]) => (known.has(id) ? [] : [message]))];
  return { messages: shownMessages(all.slice(-MESSAGES_MAX)), isCut: all.length > MESSAGES_MAX };
}
