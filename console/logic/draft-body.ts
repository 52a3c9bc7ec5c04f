import type { Ask } from '../../lib/client/endpoints.ts';
import { releaseChoices, runtimeChoices } from './agent-runtime.ts';
import { changedNames, type Draft, type DraftName, emptyDraft, listIn, USUAL_CONFIG_PATH } from './draft.ts';
import { resourceFields, specWith } from './resources.ts';

const USUAL_REF = 'main';

export type DraftBody = Pick<
  Ask<'PATCH /v2/deployments/{deployment_id}'>['body'] & object,
  'display_name' | 'source_config' | 'source_revision_config' | 'secret_references'
>;
type Config = NonNullable<DraftBody['source_config']>;

/** What a request carries to store a draft in place of another one: what has changed, and no more. */
export function bodyOf(own: Draft, before: Draft = emptyDraft()): DraftBody {
  const changed = new Set(changedNames(own, before));
  const has = (...names: DraftName[]) => names.some((name) => changed.has(name));
  const name = own.display_name.trim();
  return {
    ...(has('display_name') && { display_name: name === '' ? null : name }),
    ...(has('secret_references') && { secret_references: referencesIn(own.secret_references) }),
    source_config: { ...textsIn(own, has), ...listsIn(own, has), ...numbersIn(own, has) },
    source_revision_config: {
      ...(has('repo_ref') && { repo_ref: own.repo_ref.trim() || USUAL_REF }),
      ...(has('graph_config_path') && {
        graph_config_path: own.graph_config_path.trim() || USUAL_CONFIG_PATH,
      }),
      ...(has('image_uri') && own.image_uri.trim() !== '' && { image_uri: own.image_uri.trim() }),
    },
  };
}

type Has = (...names: DraftName[]) => boolean;

/** An empty text clears these. */
const clearableTexts = [
  'root_directory',
  'install_command',
  'build_command',
  'dockerfile_path',
  'docker_target',
  'start_command',
  'custom_url',
] as const satisfies DraftName[];
/** Nothing clears these. */
const lastingTexts = ['integration_id', 'repo_url', 'listener_id'] as const satisfies DraftName[];

function textsIn(own: Draft, has: Has): Config {
  const runtime = runtimeChoices.find(([value]) => value === own.runtime)?.[0];
  return {
    ...Object.fromEntries(
      [
        ...clearableTexts.filter((name) => has(name)),
        ...lastingTexts.filter((name) => has(name) && own[name].trim() !== ''),
      ].map((name) => [name, own[name].trim()]),
    ),
    ...(has('runtime') && runtime !== undefined && { runtime }),
    ...(has('k8s_namespace') &&
      own.k8s_namespace.trim() !== '' && { listener_config: { k8s_namespace: own.k8s_namespace.trim() } }),
    // A tag never moves; asked for together, the API refuses both.
    ...(has('build_on_push') && { build_on_push: own.build_on_push === 'true' && !isTag(own.repo_ref) }),
  };
}

function listsIn(own: Draft, has: Has): Config {
  return {
    ...(has('push_paths') && { push_paths: linesIn(own.push_paths) }),
    ...(has('build_env') && {
      build_env: listIn(own.build_env).filter(({ name }) => name.trim() !== ''),
    }),
  };
}

function numbersIn(own: Draft, has: Has): Config {
  const waiting = releaseChoices.find(([value]) => value === own.waiting)?.[0];
  return {
    ...(has('drain_seconds') &&
      own.drain_seconds.trim() !== '' && { drain_seconds: Number(own.drain_seconds) }),
    ...(has('health_path', 'health_seconds') && {
      health_check: {
        ...(own.health_path.trim() !== '' && { path: own.health_path.trim() }),
        ...(own.health_seconds.trim() !== '' && { timeout_seconds: Number(own.health_seconds) }),
      },
    }),
    ...(has('waiting', 'days') && {
      on_release: {
        ...(waiting !== undefined && { waiting }),
        ...(own.days.trim() !== '' && { days: Number(own.days) }),
      },
    }),
    ...(has('more_resources', ...resourceFields.map(({ name }) => name)) && { resource_spec: specWith(own) }),
  };
}

export const isTag = (ref: string): boolean => ref.trim().startsWith('refs/tags/');

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `NAME=secret/key` of each line; what is no such line is sent as it is, for the API to say so. */
const referencesIn = (text: string) =>
  linesIn(text).map((line) => {
    const [, name = line, secret = '', key = ''] = /^([^=]*)=([^/]*)\/(.*)$/.exec(line) ?? [];
    return { name: name.trim(), secret_name: secret.trim(), secret_key: key.trim() };
  });
