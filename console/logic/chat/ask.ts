import { type FormField, fieldsOf, fieldsOfValue } from './fields.ts';
import { fieldAt, isRecord, type Json, listAt, shown, textAt, words } from './json.ts';
import type { Interrupt } from './run.ts';

/** A way to answer: what goes back to the agent, of what the form holds. */
export type Reply = {
  label: string;
  kind: 'primary' | 'plain' | 'reject';
  resume: (filled: Json) => unknown;
};

/** An interrupt as somebody is asked it. */
export type Question = {
  title: string;
  about: string | undefined;
  /** What the agent would do, for a person to read. */
  shownValue: unknown;
  fields: FormField[];
  replies: Reply[];
  /** What the editor of JSON begins with. */
  example: unknown;
};

const TITLES = ['question', 'title', 'message', 'prompt', 'query', 'text', 'instruction'];
const TITLE_CHARACTERS_MAX = 400;

/**
 * What an agent asks: for leave to call tools (LangChain's middleware, and the older inbox), for an object
 * that a schema describes, for a choice, or for whatever its value looks like.
 */
export function questionOf({ value, schema }: Pick<Interrupt, 'value' | 'schema'>): Question {
  const [only] = Array.isArray(value) && value.length === 1 ? (value as unknown[]) : [value];
  return (
    approvalOf(value) ??
    inboxOf(value, only) ??
    schemaQuestion(only, schema) ??
    choiceOf(only) ??
    plainQuestion(value)
  );
}

/** Leave to call tools: `{ action_requests, review_configs }`, answered with a decision for each. */
function approvalOf(value: unknown): Question | undefined {
  const actions = listAt(value, 'action_requests');
  const [first] = actions;
  if (first === undefined) return undefined;
  const allowed = allowedBy(listAt(value, 'review_configs'));
  const decide = (decision: Json) => ({ decisions: actions.map(() => decision) });
  const replies: Reply[] = [];
  const many = actions.length > 1 ? ` all ${actions.length}` : '';
  const isEdited = actions.length === 1 && allowed.includes('edit');
  if (allowed.includes('approve') || isEdited)
    replies.push({
      label: actions.length > 1 ? `Approve${many}` : `Approve ${actionName(first)}`,
      kind: 'primary',
      resume: (args) => (isEdited ? editedOr(first, args) : decide({ type: 'approve' })),
    });
  if (allowed.includes('reject'))
    replies.push({ label: `Reject${many}`, kind: 'reject', resume: () => decide({ type: 'reject' }) });
  return {
    title: `The agent asks before it calls ${actions.map((each) => textAt(each, 'name') ?? 'a tool').join(', ')}`,
    about: textAt(first, 'description'),
    shownValue: isEdited ? undefined : [...actions],
    fields: isEdited ? fieldsOfValue(argsOf(first)) : [],
    replies,
    example: decide({ type: 'approve' }),
  };
}

const allowedBy = (configs: readonly unknown[]): string[] => {
  const lists = configs.map((config) => listAt(config, 'allowed_decisions'));
  const [first = ['approve', 'reject'], ...others] = lists;
  return first.filter(
    (one): one is string => typeof one === 'string' && others.every((list) => list.includes(one)),
  );
};

const actionName = (action: unknown): string =>
  words(textAt(action, 'name') ?? textAt(action, 'action') ?? 'it').toLowerCase();

const argsOf = (action: unknown): Json => {
  const args = fieldAt(action, 'args') ?? fieldAt(action, 'arguments');
  return isRecord(args) ? args : {};
};

/** Untouched arguments are leave; others are an edit. */
function editedOr(action: unknown, typed: Json): Json {
  const before = argsOf(action);
  // A field that was emptied is told as such: what is left out would be a missing argument.
  const args = { ...Object.fromEntries(Object.keys(before).map((name) => [name, null])), ...typed };
  if (JSON.stringify(args) === JSON.stringify(before)) return { decisions: [{ type: 'approve' }] };
  return { decisions: [{ type: 'edit', edited_action: { name: textAt(action, 'name') ?? '', args } }] };
}

/** The older form: `[{ action_request: { action, args }, config: { allow_accept, … } }]`. */
function inboxOf(value: unknown, only: unknown): Question | undefined {
  const action = fieldAt(only, 'action_request');
  if (action === undefined) return undefined;
  const config = fieldAt(only, 'config');
  const may = (name: string) => fieldAt(config, name) === true;
  const wrapped = (reply: Json) => (Array.isArray(value) ? [reply] : reply);
  const name = textAt(action, 'action') ?? 'a tool';
  const edits = may('allow_edit');
  const accepted = (args: Json) =>
    edits && JSON.stringify(args) !== JSON.stringify(argsOf(action))
      ? wrapped({ type: 'edit', args: { action: name, args } })
      : wrapped({ type: 'accept', args: null });
  const replies: Reply[] = [];
  if (may('allow_accept') || edits)
    replies.push({ label: `Approve ${actionName(action)}`, kind: 'primary', resume: accepted });
  if (may('allow_ignore'))
    replies.push({ label: 'Ignore', kind: 'reject', resume: () => wrapped({ type: 'ignore', args: null }) });
  return {
    title: `The agent asks before it calls ${name}`,
    about: textAt(only, 'description'),
    shownValue: edits ? undefined : fieldAt(action, 'args'),
    fields: edits ? fieldsOfValue(argsOf(action)) : [],
    replies,
    example: wrapped({ type: may('allow_accept') ? 'accept' : 'response', args: null }),
  };
}

const SCHEMAS = ['response_schema', 'schema', 'requestedSchema', 'json_schema'];

/** A question that brings the schema of its answer, beside its value or in it. */
function schemaQuestion(value: unknown, schema: unknown): Question | undefined {
  const schemas = [schema, ...SCHEMAS.map((name) => fieldAt(value, name))];
  const fields = schemas.map(fieldsOf).find((each) => each !== undefined);
  return fields && { ...titled(value), shownValue: undefined, fields, replies: [send], example: {} };
}

const send: Reply = { label: 'Send answer', kind: 'primary', resume: (filled) => filled };

/** A question with a list of answers. */
function choiceOf(value: unknown): Question | undefined {
  const found = ['options', 'choices', 'actions']
    .map((name) => listAt(value, name))
    .find((list) => list.length > 0);
  const options = found?.filter((one) => typeof one === 'string' && one.length <= 40).slice(0, 6);
  if (found === undefined || options?.length !== found.length) return undefined;
  const replies = options.map(
    (option, at): Reply => ({
      label: String(option),
      kind: at === 0 ? 'primary' : 'plain',
      resume: () => option,
    }),
  );
  return { ...titled(value), shownValue: undefined, fields: [], replies, example: options[0] };
}

/** Any other value: its members can be changed and sent back; a text is answered with a text. */
function plainQuestion(value: unknown): Question {
  const rest = isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== titleName(value)))
    : {};
  if (Object.keys(rest).length > 0)
    return {
      ...titled(value),
      shownValue: undefined,
      fields: fieldsOfValue(rest),
      replies: [send],
      example: rest,
    };
  const isTitled = typeof value === 'string' || titleName(value) !== undefined;
  const answer = {
    name: 'answer',
    label: 'Answer',
    kind: 'long',
    options: [],
    isRequired: true,
    isWhole: false,
  } as const;
  return {
    ...titled(value),
    shownValue: isTitled ? undefined : value,
    fields: [{ ...answer, about: undefined, initial: '' }],
    replies: [{ label: 'Send answer', kind: 'primary', resume: (filled) => filled.answer ?? '' }],
    example: true,
  };
}

const titleName = (value: unknown): string | undefined =>
  TITLES.find((name) => textAt(value, name) !== undefined);

function titled(value: unknown): Pick<Question, 'title' | 'about'> {
  const name = titleName(value);
  const text = typeof value === 'string' ? value : name && textAt(value, name);
  const title =
    text === undefined || text === ''
      ? 'The agent waits for an answer'
      : shown(text).slice(0, TITLE_CHARACTERS_MAX);
  return { title, about: name === 'description' ? undefined : textAt(value, 'description') };
}

/** What goes back to the agent: one answer as it is, several by the ids of their questions. */
export const resumeOf = (answers: readonly { id: string; value: unknown }[]): unknown =>
  answers.length === 1 ? answers[0]?.value : Object.fromEntries(answers.map(({ id, value }) => [id, value]));
