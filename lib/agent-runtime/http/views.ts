import { isNull, membersOf, objectOf } from '../tables/raw-json.ts';
import type { AssistantRow, Json, RunRow, ThreadRow } from '../tables/rows.ts';

const text = (value: unknown): Json => JSON.stringify(value ?? null);

type Members = readonly (readonly [string, Json])[];

/** Only the fields that a client has selected, if it has. */
const picked = (members: Members, select?: readonly string[]): Json =>
  objectOf(select === undefined ? members : members.filter(([name]) => select.includes(name)));

export const listOf = (items: readonly Json[]): Json => `[${items.join(',')}]`;

export const assistantView = (row: AssistantRow, select?: readonly string[]): Json =>
  picked(
    [
      ['assistant_id', text(row.assistant_id)],
      ['graph_id', text(row.graph_id)],
      ['config', row.config],
      ['context', row.context],
      ['metadata', row.metadata],
      ['name', text(row.name)],
      ['created_at', text(row.created_at)],
      ['updated_at', text(row.updated_at)],
      ['version', text(row.version)],
      ['description', text(row.description)],
    ],
    select,
  );

export const threadView = (row: ThreadRow, select?: readonly string[]): Json =>
  picked(
    [
      ['thread_id', text(row.thread_id)],
      ['created_at', text(row.created_at)],
      ['updated_at', text(row.updated_at)],
      ['state_updated_at', text(row.state_updated_at ?? row.created_at)],
      ['metadata', row.metadata],
      ['status', text(row.status)],
      // As clients know it of a thread that has had a run.
      ['config', row.graph_id !== null && row.config === '{}' ? '{"configurable":{}}' : row.config],
      ['values', row.values ?? 'null'],
      ['interrupts', row.interrupts],
      ['error', row.error ?? 'null'],
    ],
    select,
  );

/** The only place of a run that has whatever the project's own authentication says of a user, tokens too. */
const USER = 'langgraph_auth_user';

/** What a run was started with, for everybody who may read it: of who started it the identity alone. */
function shownKwargs(kwargs: Json): Json {
  if (!kwargs.includes(USER)) return kwargs;
  const members = membersOf(kwargs);
  const config = membersOf(members.get('config') ?? '{}');
  const configurable = membersOf(config.get('configurable') ?? '{}');
  const user = configurable.get(USER);
  if (isNull(user) || user === undefined) return kwargs;
  configurable.set(USER, objectOf([['identity', membersOf(user).get('identity') ?? 'null']]));
  return objectOf(members.set('config', objectOf(config.set('configurable', objectOf(configurable)))));
}

export const runView = (row: RunRow, select?: readonly string[]): Json =>
  picked(
    [
      ['run_id', text(row.run_id)],
      ['thread_id', text(row.thread_id)],
      ['assistant_id', text(row.assistant_id)],
      ['status', text(row.status)],
      ['metadata', row.metadata],
      ['kwargs', shownKwargs(row.kwargs)],
      ['multitask_strategy', text(row.multitask_strategy)],
      ['created_at', text(row.created_at)],
      ['updated_at', text(row.updated_at)],
    ],
    select,
  );
