import type { Deployment } from '../../client/endpoints.ts';
import type { Output } from './output.ts';
import { plain } from './output.ts';
import type { Shell } from './shell.ts';

/** What a revision is built and run with, a value for each field: `resource_spec.cpu`. */
export type Configuration = Record<string, string>;
export type Change = { field: string; from: string | null; to: string | null };

/** Versions of values that nobody is shown. */
const versions: Readonly<Record<string, string>> = {
  secrets_version: 'values of secrets: version',
  build_secrets_version: 'values of build secrets: version',
};
const labelOf = (field: string): string => versions[field] ?? `${field}:`;

/** Ids and times of the upload tell nobody anything. */
const LEFT_OUT = new Set(['langgraph_config_path']);

/** The fields of a value by their paths; what is not set is left out. */
function* leaves(value: unknown, path: string): Generator<[string, string]> {
  if (value === null || value === undefined) return;
  if (typeof value !== 'object' || Array.isArray(value)) {
    yield [path, typeof value === 'string' ? value : JSON.stringify(value)];
    return;
  }
  for (const [name, below] of Object.entries(value))
    if (!LEFT_OUT.has(name)) yield* leaves(below, path === '' ? name : `${path}.${name}`);
}

export const fieldsOf = (value: unknown): Configuration => Object.fromEntries(leaves(value, ''));

/** What a revision ran: its source and its configuration. */
export async function configurationOf(
  { client, world }: Shell,
  { id }: Pick<Deployment, 'id'>,
  revisionId: string,
): Promise<Configuration> {
  const {
    source,
    source_revision_config: at,
    configuration,
  } = await client.ask(
    'GET /v2/deployments/{deployment_id}/revisions/{revision_id}',
    { params: { deployment_id: id, revision_id: revisionId }, query: { include: ['configuration'] } },
    { signal: world.signal },
  );
  return fieldsOf({ source, ...at, ...configuration });
}

/** What changes when `to` counts instead of `from`. */
export const changesOf = (from: Configuration, to: Configuration): Change[] =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((field) => {
    const change = { field, from: from[field] ?? null, to: to[field] ?? null };
    return change.from === change.to ? [] : [change];
  });

export const differenceLines = (
  output: Output,
  from: Configuration,
  to: Configuration,
  stream: 'stdout' | 'stderr' = 'stdout',
): string[] =>
  changesOf(from, to).flatMap(({ field, from: old, to: now }) => [
    ...(old === null ? [] : [output.styled('red', plain(`- ${labelOf(field)} ${old}`), stream)]),
    ...(now === null ? [] : [output.styled('green', plain(`+ ${labelOf(field)} ${now}`), stream)]),
  ]);
