import { fieldAt, listAt, textAt } from './json.ts';
import { messagesIn, textOf } from './message.ts';

export type Thread = {
  id: string;
  title: string;
  status: 'idle' | 'busy' | 'interrupted' | 'error';
  /** RFC 3339. */
  updatedAt: string | undefined;
  /** The graph of its last run. */
  graph: string | undefined;
  assistant: string | undefined;
};

const TITLE_CHARACTERS_MAX = 80;

/** A line of what somebody has written. */
export const titleOf = (text: string): string => {
  const line = text.slice(0, 1_000).trim().replaceAll(/\s+/g, ' ');
  return line.length > TITLE_CHARACTERS_MAX ? `${line.slice(0, TITLE_CHARACTERS_MAX - 1)}…` : line;
};

/** Threads of other clients have no title: they are called by what was said first. */
function titleIn(thread: unknown): string {
  const given = textAt(fieldAt(thread, 'metadata'), 'title');
  if (given !== undefined && given.trim() !== '') return titleOf(given);
  const first = messagesIn(fieldAt(thread, 'values'))?.[0];
  return titleOf(textOf(fieldAt(first, 'content'))) || 'Thread without messages';
}

const STATUSES = ['idle', 'busy', 'interrupted', 'error'] as const;

/** Threads as a search answers them; what is none is left out. */
export const threadsOf = (found: unknown): Thread[] =>
  (Array.isArray(found) ? (found as unknown[]) : []).flatMap((thread) => {
    const id = textAt(thread, 'thread_id');
    if (id === undefined) return [];
    const metadata = fieldAt(thread, 'metadata');
    return {
      id,
      title: titleIn(thread),
      status: STATUSES.find((status) => status === textAt(thread, 'status')) ?? 'idle',
      updatedAt: textAt(thread, 'updated_at'),
      graph: textAt(metadata, 'graph_id'),
      assistant: textAt(metadata, 'assistant_id'),
    };
  });

export type Assistant = { id: string; graph: string; name: string; about: string | undefined };

/** The assistants of a server by name, those that it made itself of its graphs first. */
export function assistantsOf(found: unknown): Assistant[] {
  const all = (Array.isArray(found) ? (found as unknown[]) : []).flatMap((each) => {
    const [id, graph] = [textAt(each, 'assistant_id'), textAt(each, 'graph_id')];
    if (id === undefined || graph === undefined) return [];
    const name = textAt(each, 'name') ?? graph;
    return { id, graph, name, about: textAt(each, 'description') };
  });
  const rank = ({ name, graph }: Assistant) =>
    name === graph ? `0${name === 'agent' ? '' : name}` : `1${name}`;
  return all.toSorted((one, other) => rank(one).localeCompare(rank(other)));
}

/** A place in a thread that one can go on from. */
export type Checkpoint = {
  id: string;
  /** What the run takes it by. */
  checkpoint: unknown;
  at: string | undefined;
  step: number | undefined;
  /** What ran last, in words. */
  says: string;
  messages: number;
  values: unknown;
};

/** The history of a thread, newest first. */
export const checkpointsOf = (history: unknown): Checkpoint[] =>
  (Array.isArray(history) ? (history as unknown[]) : []).flatMap((state) => {
    const checkpoint = fieldAt(state, 'checkpoint');
    const id = textAt(checkpoint, 'checkpoint_id') ?? textAt(state, 'checkpoint_id');
    if (id === undefined) return [];
    const step = fieldAt(fieldAt(state, 'metadata'), 'step');
    const next = listAt(state, 'next').filter((name) => typeof name === 'string');
    return {
      id,
      checkpoint: checkpoint ?? { checkpoint_id: id },
      at: textAt(state, 'created_at'),
      step: typeof step === 'number' ? step : undefined,
      says: next.length === 0 ? 'The end' : `Before ${next.join(', ')}`,
      messages: messagesIn(fieldAt(state, 'values'))?.length ?? 0,
      values: fieldAt(state, 'values'),
    };
  });
