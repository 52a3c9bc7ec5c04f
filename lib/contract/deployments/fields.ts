import * as z from 'zod';
import { pushPaths } from '../push-paths.ts';
import type { Note } from '../schema-note.ts';
import { anyObject } from '../validation/as-given.ts';
import { freeJson, freeText, withoutNulls } from '../validation/json.ts';
import { textRule } from '../validation/problems.ts';
import {
  clearablePathProblem,
  commandProblem,
  customUrlProblem,
  dockerTargetProblem,
  repoUrlProblem,
  startCommandProblem,
} from '../validation/text.ts';
import { buildEnvRequest, buildSecretsRequest } from './build-variables.ts';
import { healthCheck, healthCheckRequest } from './health-check.ts';
import { onRelease, onReleaseRequest } from './on-release.ts';
import { resourceSpec } from './resource-spec.ts';
import { runtimes } from './runtimes.ts';

/*
 * The fields of a deployment, for all who read them: the stored items of core, the requests and answers of
 * the features, and the notes of the API's description.
 */

/** Fields of a deployment itself that make no revision and count at once. */
export const plainFields = ['display_name', 'tracked_packages'] as const;
export type PlainField = (typeof plainFields)[number];

const DISPLAY_NAME_LENGTH_MAX = 256;

/** What requests may say of each. */
export const plainRequest = () =>
  ({
    display_name: z.string().min(1).max(DISPLAY_NAME_LENGTH_MAX).nullish(),
    tracked_packages: freeJson.nullish(),
  }) satisfies Record<PlainField, z.ZodType>;

/** As they are stored. */
export const plainStored = () =>
  ({
    display_name: z.string().optional(),
    tracked_packages: z.unknown().optional(),
  }) satisfies Record<PlainField, z.ZodType>;

/** As responses show them. */
export const plainShown = () =>
  ({ display_name: z.string().nullable(), tracked_packages: z.unknown() }) satisfies Record<
    PlainField,
    z.ZodType
  >;

/** What a revision is built from: a request that names it makes one, which is built anew. */
const build = <T extends z.ZodType>(type: T) => ({ kind: 'build', type }) as const;
/** What a revision runs beside: a request that names it makes one, which takes over what was built. */
const run = <T extends z.ZodType>(type: T) => ({ kind: 'run', type }) as const;
/** It makes no revision and counts at once. */
const setting = <T extends z.ZodType>(type: T) => ({ kind: 'setting', type }) as const;
/** It never changes, so a deployment keeps it beside its `config`. */
const apart = <T extends z.ZodType>(type: T) => ({ kind: 'apart', type }) as const;

/**
 * The fields of `source_config`, one row each, in the order of the document: the kind of the field, and its
 * type as it is stored and shown. The stored shapes, the views, the rule of merging and what revisions keep
 * are made of these rows. What requests may say, what an empty value clears and what the document adds stand
 * below by the same names, so that no function carries what it does not use.
 */
const sourceConfigFields = {
  integration_id: setting(z.string()),
  repo_url: build(z.string()),
  build_on_push: setting(z.boolean()),
  /** A push that touches none of these makes no revision; not set: every push makes one. */
  push_paths: setting(z.array(z.string())),
  custom_url: setting(z.string()),
  drain_seconds: setting(z.int()),
  resource_spec: run(anyObject()),
  listener_id: apart(z.string()),
  listener_config: apart(z.unknown()),
  install_command: build(z.string()),
  build_command: build(z.string()),
  root_directory: build(z.string()),
  dockerfile_path: build(z.string()),
  docker_target: build(z.string()),
  build_env: build(z.array(z.object({ name: z.string(), value: z.string() }))),
  /** Names alone, and the version of the sealed values; responses show a mask for each. */
  build_secrets: build(z.object({ version: z.int(), names: z.array(z.string()) })),
  start_command: run(z.string()),
  health_check: run(healthCheck()),
  runtime: build(z.enum(runtimes)),
  on_release: setting(onRelease()),
  deployment_type: setting(z.string()),
};

type Rows = typeof sourceConfigFields;
type Field = keyof Rows;
type Kind = Rows[Field]['kind'];
type FieldOf<K extends Kind> = { [F in Field]: Rows[F]['kind'] extends K ? F : never }[Field];

/** An empty text, list or object clears these. Nothing clears the others: null keeps every field. */
export const clearableFields = [
  'push_paths',
  'custom_url',
  'resource_spec',
  'install_command',
  'build_command',
  'root_directory',
  'dockerfile_path',
  'docker_target',
  'build_env',
  'start_command',
  'health_check',
  'on_release',
] as const satisfies Field[];

const DRAIN_SECONDS_MAX = 3600;
const DOCKER_TARGET_LENGTH_MAX = 128;

/** What requests may say of each; null is absent. */
export function sourceConfigRequest() {
  const command = freeText.superRefine(textRule(commandProblem)).nullish();
  const path = freeText.superRefine(textRule(clearablePathProblem)).nullish();
  return {
    integration_id: z.guid().toLowerCase().nullish(),
    repo_url: freeText.superRefine(textRule(repoUrlProblem)).nullish(),
    build_on_push: z.boolean().nullish(),
    push_paths: pushPaths.nullish(),
    custom_url: freeText.superRefine(textRule(customUrlProblem)).nullish(),
    drain_seconds: z.int().min(0).max(DRAIN_SECONDS_MAX).nullish(),
    resource_spec: resourceSpec.nullish(),
    listener_id: z.guid().toLowerCase().nullish(),
    listener_config: z.object({ k8s_namespace: freeText.nullish() }).transform(withoutNulls).nullish(),
    install_command: command,
    build_command: command,
    root_directory: path,
    dockerfile_path: path,
    docker_target: z
      .string()
      .max(DOCKER_TARGET_LENGTH_MAX)
      .superRefine(textRule(dockerTargetProblem))
      .nullish(),
    build_env: buildEnvRequest().nullish(),
    build_secrets: buildSecretsRequest().nullish(),
    start_command: freeText.superRefine(textRule(startCommandProblem)).nullish(),
    health_check: healthCheckRequest().nullish(),
    runtime: z.enum(runtimes).nullish(),
    on_release: onReleaseRequest().nullish(),
    deployment_type: freeText.nullish(),
  } satisfies Record<Field, z.ZodType>;
}

/** None of `"`, `` ` ``, `\`, line breaks, NUL, tab, `|`, `;`, `$`, `<`, `>`, and `&` only twice in a row. */
const command = {
  pattern: '^(?:[^"`\\\\\\n\\r\\u0000\\t|;$<>&]|&&)*$',
  description:
    '`""` clears it. Runs in the build, in `root_directory`; it sees no secrets but `build_secrets`.',
};

// A whole text: a template, or a call, would keep all of these words in functions.
const pathInSource = '^(?!/|~)(?!(?:.*/)?\\.\\.(?:/|$))[^\\\\\\u0000-\\u001f\\u007f-\\u009f]*$';

/** What the document says of each in requests, beside its schema. */
export const sourceConfigNotes: Partial<Record<Field, Note>> = {
  repo_url: {
    pattern: '^(?:https://|ssh://|file:///|[A-Za-z0-9][\\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:)\\S*$',
    description: 'https, ssh or `git@host:path`, without a password. Chooses source `github`.',
  },
  build_on_push: { description: 'Makes a revision for each push to `repo_ref`.' },
  custom_url: {
    pattern: '^(?:https?://\\S+|[A-Za-z0-9][A-Za-z0-9.-]*)?$',
    description:
      'The address it is shown under, or its host name, which stands for https; by default the one that the listener reports. `""` clears it. One that the listener reports, or has reported, is no wish for it: sent back, it changes nothing. Where the deployment answers is in `url`.',
  },
  drain_seconds: {
    description:
      'How long requests and runs in flight may go on at a server that was replaced; by default as the listener has it. Once set it stays: null keeps it, as in every field, so send the number that shall count.',
  },
  listener_id: { description: 'Where it runs. By default the marked listener, else the oldest ONLINE one.' },
  install_command: command,
  build_command: command,
  root_directory: {
    pattern: pathInSource,
    description:
      'The folder of the project, relative to the root of the source, as in a repository of several. `graph_config_path` and `dockerfile_path` are relative to it, and commands run in it; `push_paths` stay relative to the repository. `""` clears it.',
  },
  dockerfile_path: {
    pattern: pathInSource,
    description:
      'The Dockerfile that an image is built by, relative to `root_directory`; by default `Dockerfile`, if it is there. `""` clears it.',
  },
  docker_target: {
    pattern: '^(?:[A-Za-z0-9][\\w.-]*)?$',
    description: 'The stage of the Dockerfile that is built; by default its last. `""` clears it.',
  },
  build_env: {
    description:
      'Variables of the build, which are no secrets: they are shown, and what a build makes may hold them. The list replaces the one before; `[]` clears it. Names are those that a shell knows; `PATH`, `NODE_OPTIONS` and what begins with `LD_`, `PYTHON`, `DOCKER_`, `AWS_`, `GIT_` or `SLIPWAY_` are refused.',
  },
  build_secrets: {
    description:
      'Secrets of the build alone, for private registries and the like: no server gets them. Write-only, as `secrets` are: a mask sent back keeps its value, the list replaces the one before, `[]` keeps it and `clear_build_secrets` clears it. Names as in `build_env`, and none of them in both.',
  },
  start_command: {
    pattern: '^[^\\n\\r\\u0000]*$',
    description:
      'What starts the server, in place of what the build has found: a line of shell, in which `$PORT` and `$HOST` are what it has to listen on. `""` clears it.',
  },
  health_check: {
    description:
      '`path`: where the server answers with a status from 200 to 399 once it is ready; it begins with one `/`. `timeout_seconds`: how long a deploy waits for that. Replaced as a whole; `{}` clears it.',
  },
  runtime: {
    description:
      "What runs the graphs of a `langgraph.json`. `dev`: the development server of LangGraph, on a machine. `licensed`: the server of LangChain's image, which asks for a licence as a secret. `command`: what `start_command` says, or what a source without `langgraph.json` starts. `durable`: Slipway's own server, for graphs in Python on a machine, whose threads and runs survive crashes and releases. `auto`, the default, is chosen when the first revision is built, and stays: see `runtime_resolved`. Another one than that is 409 without `accept_new_state`.",
  },
  on_release: {
    description:
      '`waiting`: what happens to threads that wait at a node, or are busy in one, which a new revision has not. `warn`: the deploy log and `status_message` name them; the default of `dev` and `licensed`. `refuse`: the deploy fails before anything moved, also where they cannot be counted. `pin`: they stay with their revision, which `durable` alone can; `days` is how long at most. `move`: nothing is asked, the default of `command`. Replaced as a whole; `{}` clears it.',
  },
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of the rows has exactly their names
export const sourceConfigNames = Object.keys(sourceConfigFields) as Field[];

const fieldsOf = <K extends Kind>(...kinds: K[]): FieldOf<K>[] =>
  kinds.flatMap((kind) =>
    sourceConfigNames.filter((field): field is FieldOf<K> => sourceConfigFields[field].kind === kind),
  );

export const buildFields = /* @__PURE__ */ fieldsOf('build');
/** What revisions keep of the configuration that they run. */
export const runFields = /* @__PURE__ */ fieldsOf('build', 'run');
export type RunField = FieldOf<'build' | 'run'>;
/** What a deployment keeps in its `config`. */
export const configFields = /* @__PURE__ */ fieldsOf('build', 'run', 'setting');

/** Schemas of these fields as they are stored: absent until they are set. */
export const storedShape = <F extends Field>(fields: readonly F[]) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets which key has which type
  Object.fromEntries(fields.map((field) => [field, sourceConfigFields[field].type.optional()])) as {
    [K in F]: z.ZodOptional<Rows[K]['type']>;
  };

/** Schemas of these fields as responses show them: null until they are set. */
export const shownShape = <F extends Field>(fields: readonly F[]) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets which key has which type
  Object.fromEntries(fields.map((field) => [field, sourceConfigFields[field].type.nullable()])) as {
    [K in F]: z.ZodNullable<Rows[K]['type']>;
  };
