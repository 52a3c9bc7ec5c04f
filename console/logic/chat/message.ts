import { fieldAt, isRecord, type Json, listAt, numberAt, parsed, textAt } from './json.ts';

export type ToolCall = {
  id: string;
  name: string;
  /** Text while it arrives. */
  args: unknown;
  /** Undefined: it has not answered. */
  result: { value: unknown; isError: boolean } | undefined;
};

export type ChatMessage = {
  id: string;
  from: 'person' | 'agent' | 'system';
  text: string;
  /** What a model has thought before it spoke, where it says so. */
  thoughts: string;
  calls: ToolCall[];
  tokens: number | undefined;
};

/** What follows is left out of the page: it holds no more in reasonable time. */
export const TEXT_CHARACTERS_MAX = 500_000;

type Kind = 'human' | 'ai' | 'tool' | 'system';

/** Of LangChain (`type`, of a piece too) and of OpenAI (`role`). */
function kindOf(message: unknown): Kind {
  const said = (textAt(message, 'type') ?? textAt(message, 'role') ?? '').toLowerCase();
  if (said.startsWith('human') || said === 'user') return 'human';
  if (said.startsWith('tool') || said === 'function') return 'tool';
  if (said.startsWith('system') || said === 'developer') return 'system';
  return 'ai';
}

/** The text of content: a text, or parts of which some are texts. Others are named. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(partText).join('');
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  const kind = textAt(part, 'type') ?? 'text';
  if (kind === 'text' || kind === 'output_text') return textAt(part, 'text') ?? '';
  if (['image', 'image_url', 'audio', 'file', 'video'].includes(kind)) return `[${kind.replace('_url', '')}]`;
  return '';
}

const thoughtsOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part) => textAt(part, 'thinking') ?? textAt(part, 'reasoning') ?? '').join('')
    : '';

function callsOf(message: unknown): ToolCall[] {
  return listAt(message, 'tool_calls').map((call, at) => {
    const inner = fieldAt(call, 'function');
    const args = fieldAt(call, 'args') ?? fieldAt(inner, 'arguments') ?? {};
    return {
      id: textAt(call, 'id') ?? `call ${at}`,
      name: textAt(call, 'name') ?? textAt(inner, 'name') ?? 'tool',
      args: typeof args === 'string' ? parsed(args) : args,
      result: undefined,
    };
  });
}

const resultOf = (message: unknown): NonNullable<ToolCall['result']> => {
  const text = textOf(fieldAt(message, 'content'));
  return {
    value: parsed(text.slice(0, TEXT_CHARACTERS_MAX)),
    isError: textAt(message, 'status') === 'error',
  };
};

/** The messages of a state as they are shown: what a tool has answered stands with its call. */
export function shownMessages(raw: readonly unknown[]): ChatMessage[] {
  const shown: ChatMessage[] = [];
  const calls = new Map<string, ToolCall>();
  for (const [at, message] of raw.entries()) {
    const kind = kindOf(message);
    const call = kind === 'tool' ? calls.get(textAt(message, 'tool_call_id') ?? '') : undefined;
    if (call !== undefined) {
      call.result = resultOf(message);
      continue;
    }
    const made = kind === 'tool' ? loneAnswer(message, at) : messageOf(message, kind, at);
    for (const each of made.calls) calls.set(each.id, each);
    if (made.text !== '' || made.thoughts !== '' || made.calls.length > 0) shown.push(made);
  }
  return shown;
}

function messageOf(message: unknown, kind: Kind, at: number): ChatMessage {
  const content = fieldAt(message, 'content');
  return {
    id: textAt(message, 'id') ?? `message ${at}`,
    from: kind === 'human' ? 'person' : kind === 'system' ? 'system' : 'agent',
    text: textOf(content).slice(0, TEXT_CHARACTERS_MAX),
    thoughts: thoughtsOf(content).slice(0, TEXT_CHARACTERS_MAX),
    calls: callsOf(message),
    tokens: numberAt(fieldAt(message, 'usage_metadata'), 'total_tokens'),
  };
}

/** An answer whose call is not in the list: it was left out, or has another id. */
function loneAnswer(message: unknown, at: number): ChatMessage {
  const id = textAt(message, 'tool_call_id') ?? `answer ${at}`;
  const name = textAt(message, 'name') ?? 'tool';
  const call = { id, name, args: {}, result: resultOf(message) };
  return { id, from: 'agent', text: '', thoughts: '', calls: [call], tokens: undefined };
}

const isPiece = (message: unknown): boolean => (textAt(message, 'type') ?? '').endsWith('Chunk');

/** One message of the pieces that have come of it and the next one; what is no piece is the whole. */
export function joined(before: Json | undefined, piece: Json): Json {
  if (before === undefined || !isPiece(piece)) return withCalls(piece);
  const content = joinedContent(fieldAt(before, 'content'), fieldAt(piece, 'content'));
  const chunks = joinedChunks(listAt(before, 'tool_call_chunks'), listAt(piece, 'tool_call_chunks'));
  const usage = fieldAt(piece, 'usage_metadata') ?? fieldAt(before, 'usage_metadata');
  return withCalls({ ...before, content, tool_call_chunks: chunks, usage_metadata: usage });
}

function joinedContent(before: unknown, more: unknown): unknown {
  if (typeof before === 'string' && typeof more === 'string')
    return before.length > TEXT_CHARACTERS_MAX ? before : before + more;
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === '' ? [] : [value]);
  return [...list(before), ...list(more)];
}

type Piece = { index: number; id: string | undefined; name: string; args: string };

/** Pieces of a call have its index; the name and the id come with the first one. */
function joinedChunks(before: readonly unknown[], more: readonly unknown[]): Piece[] {
  const all = new Map<number, Piece>();
  for (const chunk of [...before, ...more]) {
    const index = numberAt(chunk, 'index') ?? 0;
    const known = all.get(index);
    all.set(index, {
      index,
      id: known?.id ?? textAt(chunk, 'id'),
      name: (known?.name ?? '') + (textAt(chunk, 'name') ?? ''),
      args: (known?.args ?? '') + (textAt(chunk, 'args') ?? ''),
    });
  }
  return [...all.values()];
}

/** What is known of calls whose arguments are not whole yet. */
function withCalls(message: Json): Json {
  const chunks = joinedChunks([], listAt(message, 'tool_call_chunks'));
  if (chunks.length === 0) return message;
  return { ...message, tool_calls: chunks.map(({ id, name, args }) => ({ id, name, args })) };
}

/** The list of messages in the values of a state; undefined: its graph keeps none. */
export function messagesIn(values: unknown): Json[] | undefined {
  const found = fieldAt(values, 'messages');
  const all: unknown[] | undefined = Array.isArray(found) ? found : undefined;
  return all?.every(isRecord) === true ? all : undefined;
}
