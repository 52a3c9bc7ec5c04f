import * as z from 'zod';
import {
  plainRequest,
  plainShown,
  shownShape,
  sourceConfigNames,
  sourceConfigRequest,
} from '../../contract/deployments/fields.ts';
import { trafficView } from '../../contract/deployments/metrics.ts';
import { resolvedRuntimes } from '../../contract/deployments/runtimes.ts';
import {
  maskedSecrets,
  nameInBoth,
  namesInBoth,
  type Secret,
  secretReferences,
  secrets,
} from '../../contract/deployments/secrets.ts';
import { threadCounts } from '../../contract/deployments/threads.ts';
import { deploymentStatuses, sources } from '../../contract/revision-status.ts';
import {
  freeText,
  JSON_DEPTH_MAX,
  nestsDeeperThan,
  TEXT_LENGTH_MAX,
  withoutNulls,
} from '../../contract/validation/json.ts';
import { always, missing, report, textRule, valueError } from '../../contract/validation/problems.ts';
import { configPathProblem, imageProblem, repoRefProblem } from '../../contract/validation/text.ts';
import { revisionView, sourceRevisionConfigView } from '../revisions/shape.ts';

/** Bodies that make or change deployments. Unknown and response-only fields are ignored, null is absent. */

export const NAME_LENGTH_MAX = 63;
export const CONFIGURATION_SIZE_BYTES_MAX = 64 * 1024;
const AGENT_TEXT_LENGTH_MAX = 256;

/** A deployment's name: unique in its tenant, part of addresses. */
export const deploymentName = z
  .string()
  .min(1)
  .max(NAME_LENGTH_MAX)
  .regex(
    /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$/,
    "a name has lower-case letters, digits, '-' and '_', and begins and ends with a letter or a digit",
  );

type Named = { name: string };
type ListWish = { list: Secret[] | null | undefined; clears: boolean | null | undefined };

/** The list that replaces the stored one; undefined: that one stays. */
function replacementOf({ list, clears }: ListWish): Secret[] | undefined {
  if (clears === true) return [];
  return list === null || list?.length === 0 ? undefined : list;
}

/** A list is replaced or cleared. */
function checkOneWish(field: 'secrets' | 'build_secrets', { list, clears }: ListWish, ctx: z.RefinementCtx) {
  if (clears !== true || (list ?? []).length === 0) return;
  const problem = `'${field}' replaces the secrets and clear_${field} removes them all; give one`;
  report(ctx, valueError(problem), [`clear_${field}`]);
}

/** What comes out has an empty list of build secrets only where `clear_build_secrets` asks for it. */
export const sourceConfig = z
  .object({ ...sourceConfigRequest(), clear_build_secrets: z.boolean().nullish() })
  .superRefine(({ build_secrets: list, clear_build_secrets: clears }, ctx) => {
    checkOneWish('build_secrets', { list, clears }, ctx);
  })
  .transform(({ build_secrets: list, clear_build_secrets: clears, ...config }) => {
    const replacement = replacementOf({ list, clears });
    return {
      ...withoutNulls(config),
      ...(replacement !== undefined && { build_secrets: replacement }),
    };
  });

const configPath = freeText.superRefine(textRule(configPathProblem)).nullish();

export const sourceRevisionConfig = z
  .object({
    repo_ref: freeText.superRefine(textRule(repoRefProblem)).nullish(),
    graph_config_path: configPath,
    langgraph_config_path: configPath,
    image_uri: freeText.superRefine(textRule(imageProblem)).nullish(),
    source_tarball_path: freeText.nullish(),
  })
  .transform(({ langgraph_config_path: alias, source_tarball_path: path, ...config }) => {
    // Clients without a tarball send an empty path of one.
    const source_tarball_path = path || undefined;
    const graph_config_path = config.graph_config_path ?? alias;
    const named: typeof config & { source_tarball_path?: string | undefined } = {
      ...config,
      graph_config_path,
      source_tarball_path,
    };
    return withoutNulls(named);
  });

// Both texts are parts of one key of the table, which `#` separates.
const agentText = z
  .string()
  .min(1)
  .max(AGENT_TEXT_LENGTH_MAX)
  .regex(/^[^#\p{Cc}]+$/u, "an agent's id and environment contain no '#' and no control characters");
const agent = z.object({ agent_id: agentText, environment: agentText });

const { display_name: displayName, ...otherPlain } = plainRequest();

const optionalFields = {
  agent: agent.nullish(),
  ...otherPlain,
  source: z.enum(sources).nullish(),
  revision_source: z.enum(sources).nullish(),
  secrets: secrets.nullish(),
  secret_references: secretReferences.nullish(),
};

/** The fields that are kept together, and so limited together. */
export const limitedFields = [
  'source_config',
  'source_revision_config',
  'secret_references',
  'agent',
  'tracked_packages',
];

/** Secrets have a limit of their own. */
function withoutSecrets(config: unknown): unknown {
  if (typeof config !== 'object' || config === null || !('build_secrets' in config)) return config;
  const { build_secrets: _, ...rest } = config;
  return rest;
}

function checkSize(body: object, ctx: z.RefinementCtx): void {
  const limited = Object.entries(body).filter(([field]) => limitedFields.includes(field));
  const kept = Object.fromEntries(
    limited.map(([field, value]) => [field, field === 'source_config' ? withoutSecrets(value) : value]),
  );
  // Too deep values are reported where they are; measuring them would exhaust the stack.
  if (nestsDeeperThan(kept, 2 * JSON_DEPTH_MAX)) return;
  if (Buffer.byteLength(JSON.stringify(kept)) > CONFIGURATION_SIZE_BYTES_MAX) {
    report(ctx, valueError(`the configuration has at most ${CONFIGURATION_SIZE_BYTES_MAX} bytes in all`));
  }
}

/** A name is required, unless it can be made from the agent's. */
function checkNamed(body: { name?: unknown; agent?: unknown } | null, ctx: z.RefinementCtx): void {
  if (typeof body !== 'object' || body === null) return;
  const absent = (value: unknown) => value === undefined || value === null;
  if (absent(body.name) && absent(body.agent)) report(ctx, missing, ['name']);
}

/** Reports each name that belongs to a secret and to a reference. */
function checkNamesInBoth(
  {
    secrets: list,
    secret_references: references,
  }: { secrets?: Named[] | null | undefined; secret_references?: Named[] | null | undefined },
  ctx: z.RefinementCtx,
): void {
  const inBoth = new Set(namesInBoth(list ?? [], references ?? []));
  for (const [index, { name }] of (references ?? []).entries())
    if (inBoth.has(name)) report(ctx, nameInBoth(name), ['secret_references', index, 'name']);
}

/** `POST /v2/deployments`. `name` is absent only when `agent` is there. */
export const createDeploymentBody = z
  .object({
    name: deploymentName.nullish(),
    display_name: displayName,
    source_config: sourceConfig,
    source_revision_config: sourceRevisionConfig,
    ...optionalFields,
  })
  .superRefine(checkNamed, always)
  .superRefine(checkSize)
  .superRefine(checkNamesInBoth)
  .transform(withoutNulls);
export type CreateDeploymentBody = z.output<typeof createDeploymentBody>;

/**
 * `PATCH /v2/deployments/{deployment_id}` and `POST …/revisions`. `name` is read only to refuse a change of
 * it. Deploy CLIs send an empty list of secrets when they have none to set, so that keeps them; what comes
 * out of here has an empty list only where `clear_secrets` asks for it. `accept_new_state`: another runtime
 * may begin without the threads of the one before.
 */
export const changeDeploymentBody = z
  .object({
    name: z.string().max(TEXT_LENGTH_MAX).nullish(),
    display_name: displayName,
    source_config: sourceConfig.nullish(),
    source_revision_config: sourceRevisionConfig.nullish(),
    ...optionalFields,
    clear_secrets: z.boolean().nullish(),
    accept_new_state: z.boolean().nullish(),
  })
  .superRefine(checkSize)
  .superRefine(({ secrets: list, clear_secrets: clears }, ctx) => {
    checkOneWish('secrets', { list, clears }, ctx);
  })
  // Null clears this one alone of all fields: it has no other way.
  .transform(({ display_name, secrets: list, clear_secrets, ...body }) => {
    const replacement = replacementOf({ list, clears: clear_secrets });
    return {
      ...withoutNulls(body),
      ...(display_name !== undefined && { display_name }),
      ...(replacement !== undefined && { secrets: replacement }),
    };
  });
export type ChangeDeploymentBody = z.output<typeof changeDeploymentBody>;

/** What responses show. Every field is always there, null when unset; an undeclared one never leaves. */

const text = z.string().nullable();
const timestamp = z.string();

export const sourceConfigView = z.object({
  ...shownShape(sourceConfigNames),
  integration_id: z.guid().nullable(),
  listener_id: z.guid().nullable(),
  listener_config: z.object({ k8s_namespace: text }).nullable(),
  build_secrets: maskedSecrets.nullable(),
  /** `none`: pushes are asked for, but no integration reports them. */
  push_source: z.enum(['integration', 'none']).nullable(),
});

const agentView = z.object({ agent_id: z.string(), environment: z.string() });

const { display_name, ...otherShown } = plainShown();

export const deploymentView = z.object({
  id: z.guid(),
  name: z.string(),
  display_name,
  tenant_id: z.guid(),
  created_at: timestamp,
  updated_at: timestamp,
  source: z.enum(sources),
  status: z.enum(deploymentStatuses),
  /** Where it answers; null while it does not. */
  url: text,
  source_config: sourceConfigView,
  source_revision_config: sourceRevisionConfigView,
  secrets: maskedSecrets,
  secret_references: z.array(z.object({ name: z.string(), secret_name: z.string(), secret_key: z.string() })),
  latest_revision_id: z.guid(),
  active_revision_id: z.guid().nullable(),
  /**
   * Whether the active revision runs another configuration than the deployment has, and in which fields; null
   * while nothing serves, and while the deployment is being deleted.
   */
  active_configuration: z.object({ differs: z.boolean(), fields: z.array(z.string()) }).nullable(),
  image_version: text,
  is_managed_deep_agent: z.boolean(),
  agent: agentView.nullable(),
  ...otherShown,
  /**
   * Built folders that are stored, as of the end of the last revision that ran one; null before that, and
   * where images run.
   */
  artifacts: z.object({ count: z.int(), size_bytes: z.int() }).nullable(),
  /**
   * What `source_config.runtime` came to at the first deploy, and why; null before that. It stays while a
   * start_command starts something else.
   */
  runtime_resolved: z.enum(resolvedRuntimes).nullable(),
  runtime_reason: text,
  /**
   * Of 'durable': in which revisions threads wait, and which have runs. Null where nothing is known, and in
   * every answer but that of a GET of one deployment. `reported_at`: since when its listener reports this.
   * `oldest_at`: since when the first of them waits.
   */
  threads: z.object({ reported_at: timestamp, revisions: z.array(threadCounts) }).nullable(),
});
export type DeploymentView = z.input<typeof deploymentView>;

/** What became of each: 204, or the status and the text that it would have been refused with alone. */
export const deletionResultsView = z.object({
  results: z.array(z.object({ deployment_id: z.guid(), status: z.int(), detail: text })),
});
export type DeletionResultsView = z.input<typeof deletionResultsView>;

export const listedDeploymentView = deploymentView.extend({
  /** The newest revision; null unless it is asked for with `include=latest_revision`. */
  latest_revision: revisionView.nullable(),
  /** Of the last hour; null unless it is asked for with `traffic=true`, and where nothing was told. */
  traffic: trafficView.nullable(),
});
export type ListedDeploymentView = z.input<typeof listedDeploymentView>;
/** `offset` is what to ask the next page with. */
export const deploymentListView = z.object({ resources: z.array(listedDeploymentView), offset: z.int() });
