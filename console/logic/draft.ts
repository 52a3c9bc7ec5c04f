import type { Deployment } from '../../lib/client/endpoints.ts';
import { type ResourceName, restOf } from './resources.ts';

/**
 * All that a deployment is configured with, but for its secrets, as it is typed: the forms of a new
 * deployment and of its settings are these texts. '' is not set.
 */
export type Draft = Record<DraftName, string>;

/** What a change does once it is saved. The later ones do what the earlier ones do too. */
export type Effect = 'none' | 'setting' | 'run' | 'build';
const effects: readonly Effect[] = ['none', 'setting', 'run', 'build'];

type Row = {
  /** Where the API has it, as its refusals name it. */
  of: string;
  effect: Effect;
  read: (deployment: Deployment) => string;
};

const row = (of: string, effect: Effect, read: Row['read']): Row => ({ of, effect, read });
const text = (value: string | number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value);
type TextField = {
  [F in keyof Deployment['source_config']]: Deployment['source_config'][F] extends string | null ? F : never;
}[keyof Deployment['source_config']];
const config = (field: TextField, effect: Effect): Row =>
  row(`source_config.${field}`, effect, ({ source_config: set }) => text(set[field]));

const source = {
  integration_id: config('integration_id', 'setting'),
  repo_url: config('repo_url', 'build'),
  repo_ref: row('source_revision_config.repo_ref', 'build', ({ source_revision_config: at }) =>
    text(at.repo_ref),
  ),
  graph_config_path: row('source_revision_config.graph_config_path', 'build', configPathIn),
  image_uri: row('source_revision_config.image_uri', 'build', ({ source_revision_config: at }) =>
    text(at.image_uri),
  ),
  build_on_push: row('source_config.build_on_push', 'setting', ({ source_config: set }) =>
    set.build_on_push === true ? 'true' : '',
  ),
  push_paths: row('source_config.push_paths', 'setting', ({ source_config: set }) =>
    (set.push_paths ?? []).join('\n'),
  ),
} as const;

const building = {
  root_directory: config('root_directory', 'build'),
  install_command: config('install_command', 'build'),
  build_command: config('build_command', 'build'),
  dockerfile_path: config('dockerfile_path', 'build'),
  docker_target: config('docker_target', 'build'),
  build_env: row('source_config.build_env', 'build', ({ source_config: set }) =>
    listText(set.build_env ?? []),
  ),
} as const;

const running = {
  start_command: config('start_command', 'run'),
  runtime: row('source_config.runtime', 'build', ({ source_config: set }) => set.runtime ?? 'auto'),
  health_path: row('source_config.health_check.path', 'run', ({ source_config: set }) =>
    text(set.health_check?.path),
  ),
  health_seconds: row('source_config.health_check.timeout_seconds', 'run', ({ source_config: set }) =>
    text(set.health_check?.timeout_seconds),
  ),
  secret_references: row('secret_references', 'run', ({ secret_references: all }) =>
    all.map(({ name, secret_name: secret, secret_key: key }) => `${name}=${secret}/${key}`).join('\n'),
  ),
  more_resources: row('source_config.resource_spec', 'run', ({ source_config: set }) =>
    restOf(set.resource_spec),
  ),
} as const;

const releasing = {
  waiting: row('source_config.on_release.waiting', 'setting', ({ source_config: set }) =>
    text(set.on_release?.waiting),
  ),
  days: row('source_config.on_release.days', 'setting', ({ source_config: set }) =>
    text(set.on_release?.days),
  ),
  drain_seconds: row('source_config.drain_seconds', 'setting', ({ source_config: set }) =>
    text(set.drain_seconds),
  ),
  custom_url: row('source_config.custom_url', 'setting', ({ source_config: set }) => text(set.custom_url)),
  display_name: row('display_name', 'setting', ({ display_name: name }) => text(name)),
  listener_id: row('source_config.listener_id', 'none', ({ source_config: set }) => text(set.listener_id)),
  k8s_namespace: row('source_config.listener_config', 'none', ({ source_config: set }) =>
    text(set.listener_config?.k8s_namespace),
  ),
} as const;

type Variable = { name: string; value: string };

/** A list as one text of a draft; values may hold anything, so it is JSON. */
export const listText = (list: readonly Variable[]): string =>
  list.length === 0 ? '' : JSON.stringify(list.map(({ name, value }) => ({ name, value })));

/** The list that such a text stands for. */
export const listIn = (listed: string): Variable[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by listText alone
  listed === '' ? [] : (JSON.parse(listed) as Variable[]);

/** Nothing is sent for a path that is the usual one. */
function configPathIn({ source_revision_config: at }: Deployment): string {
  return at.graph_config_path === USUAL_CONFIG_PATH ? '' : text(at.graph_config_path);
}

export const USUAL_CONFIG_PATH = 'langgraph.json';

const resource = (name: ResourceName): Row =>
  row(`source_config.resource_spec.${name}`, 'run', ({ source_config: { resource_spec: spec } }) => {
    const value = spec?.[name];
    return typeof value === 'number' ? String(value) : '';
  });

const rows = {
  ...source,
  ...building,
  ...running,
  ...releasing,
  cpu: resource('cpu'),
  cpu_limit: resource('cpu_limit'),
  memory_mb: resource('memory_mb'),
  memory_limit_mb: resource('memory_limit_mb'),
  min_scale: resource('min_scale'),
  max_scale: resource('max_scale'),
} satisfies Record<string, Row>;

export type DraftName = keyof typeof rows;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of the rows has exactly their names
export const draftNames = Object.keys(rows) as DraftName[];

const each = (valueOf: (name: DraftName) => string): Draft =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of exactly these names
  Object.fromEntries(draftNames.map((name) => [name, valueOf(name)])) as Draft;

/** What nobody has filled in yet. */
export const emptyDraft = (): Draft => ({ ...each(() => ''), runtime: 'auto' });

export const draftOf = (deployment: Deployment): Draft => each((name) => rows[name].read(deployment));

/** The field's name in the API, by which its refusals are found. */
export const apiName = (name: DraftName): string => rows[name].of;

/** Own edits on what somebody else has stored meanwhile. */
export const mergedDraft = (own: Draft, before: Draft, now: Draft): Draft =>
  each((name) => (own[name] === before[name] ? now[name] : own[name]));

/** Which fields a save would change. */
export const changedNames = (own: Draft, before: Draft): DraftName[] =>
  draftNames.filter((name) => own[name].trim() !== before[name].trim());

/** The most that any of these changes does. */
export const effectOf = (changed: readonly DraftName[]): Effect =>
  effects.findLast((effect) => changed.some((name) => rows[name].effect === effect)) ?? 'none';

export const strongest = (...all: Effect[]): Effect =>
  effects.findLast((effect) => all.includes(effect)) ?? 'none';
