import type { Revision } from '../../lib/client/endpoints.ts';

type Configuration = NonNullable<Revision['configuration']>;
/** The fields that are one value each. */
type Field = Exclude<
  keyof Configuration,
  'resource_spec' | 'secret_names' | 'secrets_version' | 'build_secrets_version'
>;

/** What people read for each field of what a revision runs. */
const labels: Readonly<Record<Field, string>> = {
  repo_url: 'Repository',
  install_command: 'Install command',
  build_command: 'Build command',
  root_directory: 'Root directory',
  dockerfile_path: 'Dockerfile',
  docker_target: 'Stage of the Dockerfile',
  build_env: 'Build variables',
  build_secrets: 'Names of build secrets',
  start_command: 'Start command',
  health_check: 'Health check',
  runtime: 'Runtime',
};

/** Those that are no text: what people read of each. */
const texts: { readonly [F in Field]?: (set: Configuration) => string | null } = {
  build_env: ({ build_env: list }) =>
    words((list ?? []).map(({ name, value }) => `${name}=${value}`).join(', ')),
  build_secrets: ({ build_secrets: list }) => words((list ?? []).map(({ name }) => name).join(', ')),
  health_check: ({ health_check: check }) => check && healthText(check),
};

const healthText = ({ path, timeout_seconds: seconds }: NonNullable<Configuration['health_check']>) =>
  [path, seconds === undefined ? undefined : `within ${seconds} s`]
    .filter((part) => part !== undefined)
    .join(', ');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of `labels` has exactly their names
const fields = Object.keys(labels) as Field[];

export const words = (value: unknown): string | null =>
  value === null || value === undefined || value === ''
    ? null
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

/** These fields of a configuration by their labels; null: not set. */
export const labelled = (set: Configuration | null): [label: string, value: string | null][] =>
  fields.map((field) => [labels[field], set && (texts[field]?.(set) ?? words(set[field]))]);

/** Where `active_configuration` differs, in words; of a field that this version does not know, its name. */
export const wordOf = (path: string): string => differing[path] ?? path;

const differing: Readonly<Record<string, string>> = {
  secrets: 'secrets',
  secret_references: 'secret references',
  'source_config.resource_spec': 'resources',
  ...Object.fromEntries(
    Object.entries(labels).map(([field, label]) => [`source_config.${field}`, label.toLowerCase()]),
  ),
};
