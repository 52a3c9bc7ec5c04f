import type { Server } from '../queue/queue-store.ts';
import type { Database } from './database.ts';

/** Says which graphs a build has, for whoever asks for them when another one serves. */
export async function noteGraphs(
  database: Database,
  { buildId, revisionId }: Pick<Server, 'buildId' | 'revisionId'>,
  graphIds: readonly string[],
): Promise<void> {
  await database.query(
    `insert into rt.build_graphs (build_id, graph_id, revision_id)
    select $1, graph, $2 from unnest($3::text[]) as graph
    on conflict (build_id, graph_id) do update set revision_id = excluded.revision_id, noted_at = excluded.noted_at`,
    [buildId, revisionId, graphIds],
  );
}

export async function hasGraph(database: Database, buildId: string, graphId: string): Promise<boolean> {
  const rows = await database.query('select 1 from rt.build_graphs where build_id = $1 and graph_id = $2', [
    buildId,
    graphId,
  ]);
  return rows.length > 0;
}

/** The newest revisions that have run here and have a graph. */
export async function revisionsWith(database: Database, graphId: string, count: number): Promise<string[]> {
  const rows = await database.query<{ revision_id: string }>(
    'select revision_id from rt.build_graphs where graph_id = $1 order by noted_at desc limit $2',
    [graphId, count],
  );
  return rows.map(({ revision_id: id }) => id);
}
