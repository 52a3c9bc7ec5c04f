import type { Deployment, Revision } from '../data/contract.ts';

type Configuration = NonNullable<Revision['configuration']>;
/** The fields that are one value each. */
type Field = Exclude<keyof Configuration, 'resource_spec' | 'secret_names'>;

/** What people read for each field of what a revision runs. */
const labels: Readonly<Record<Field, string>> = {
  repo_url: 'Repository',
  install_command: 'Install command',
  build_command: 'Build command',
};

export const words = (value: unknown): string | null =>
  value === null || value === undefined || value === ''
    ? null
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

/** These fields of a configuration by their labels; null: not set. */
export const labelled = (set: Configuration | null): [label: string, value: string | null][] =>
  Object.entries(labels).map(([field, label]) => [
    label,
    words(Object.entries(set ?? {}).find(([name]) => name === field)?.[1]),
  ]);

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

/** The texts of source_config that the page of settings edits; an empty one clears what is stored. */
export const textFields = [
  { name: 'install_command', label: labels.install_command },
  { name: 'build_command', label: labels.build_command },
] as const;
/** As typed. */
export type Texts = Record<(typeof textFields)[number]['name'], string>;

const each = (textOf: (name: keyof Texts) => string): Texts => ({
  install_command: textOf('install_command'),
  build_command: textOf('build_command'),
});

export const textsOf = ({ source_config: config }: Deployment): Texts => each((name) => config[name] ?? '');

/** Own edits on what somebody else has stored meanwhile. */
export const mergedTexts = (own: Texts, before: Texts, now: Texts): Texts =>
  each((name) => (own[name] === before[name] ? now[name] : own[name]));

/** Those that a PATCH has to carry. */
export const changedTexts = (own: Texts, before: Texts): Partial<Texts> =>
  Object.fromEntries(
    textFields.flatMap(({ name }) => (own[name] === before[name] ? [] : [[name, own[name]] as const])),
  );
