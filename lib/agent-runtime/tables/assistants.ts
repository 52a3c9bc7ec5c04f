import type { Database } from './database.ts';
import type { AssistantRow, Json } from './rows.ts';

const COLUMNS =
  'assistant_id, graph_id, name, description, config, context, metadata, version, created_at, updated_at';

/** The assistants that a server's graphs have of themselves, by their ids. */
export async function noteAssistants(
  database: Database,
  assistants: ReadonlyMap<string, { readonly graphId: string }>,
): Promise<void> {
  await database.query(
    `insert into rt.assistants (assistant_id, graph_id, name, metadata)
    select id, graph, graph, '{"created_by":"system"}' from unnest($1::uuid[], $2::text[]) as a (id, graph)
    on conflict (assistant_id) do nothing`,
    [[...assistants.keys()], Array.from(assistants.values(), ({ graphId }) => graphId)],
  );
}

export async function findAssistant(
  database: Database,
  assistantId: string,
): Promise<AssistantRow | undefined> {
  const [assistant] = await database.query<AssistantRow>(
    `select ${COLUMNS} from rt.assistants where assistant_id = $1`,
    [assistantId],
  );
  return assistant;
}

const SORTS = {
  assistant_id: 'assistant_id',
  graph_id: 'graph_id',
  name: 'name',
  created_at: 'created_at',
  updated_at: 'updated_at',
} as const;

export type AssistantFilter = {
  readonly graphId?: string;
  readonly name?: string;
  /** An object that the assistant's must contain. */
  readonly metadata?: Json;
};

export type AssistantPage = {
  readonly limit: number;
  readonly offset: number;
  readonly sortBy?: keyof typeof SORTS;
  readonly descending?: boolean;
};

// A name is looked for as it stands: % and _ are letters like others.
const WHERE = `($1::text is null or graph_id = $1) and ($2::text is null or position(lower($2) in lower(name)) > 0)
  and ($3::text is null or $3 = '{}' or metadata_search @> rt.searchable($3))`;

const filterValues = ({ graphId, name, metadata }: AssistantFilter): unknown[] => [
  graphId ?? null,
  name ?? null,
  metadata ?? null,
];

/** A page of assistants, the newest first unless it says otherwise. */
export const searchAssistants = async (
  database: Database,
  filter: AssistantFilter,
  { limit, offset, sortBy = 'created_at', descending = true }: AssistantPage,
): Promise<AssistantRow[]> =>
  database.query<AssistantRow>(
    `select ${COLUMNS} from rt.assistants where ${WHERE}
    order by ${SORTS[sortBy]} ${descending ? 'desc' : 'asc'}, assistant_id limit $4 offset $5`,
    [...filterValues(filter), limit, offset],
  );

export async function countAssistants(database: Database, filter: AssistantFilter): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*) as count from rt.assistants where ${WHERE}`,
    filterValues(filter),
  );
  return row?.count ?? 0;
}
