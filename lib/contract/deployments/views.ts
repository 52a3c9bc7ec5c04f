import * as z from 'zod';
import { deploymentStatuses, revisionCauses, revisionStatuses, sources } from '../revision-status.ts';
import { plainShown, runFields, shownShape, sourceConfigNames } from './fields.ts';
import { SECRET_MASK } from './secrets.ts';

/** What responses show. Every field is always there, null when unset; an undeclared one never leaves. */

const text = z.string().nullable();
const timestamp = z.string();

export const sourceRevisionConfigView = z.object({
  repo_ref: text,
  graph_config_path: text,
  /** The same value under the name that older clients read. */
  langgraph_config_path: text,
  image_uri: text,
  source_tarball_path: text,
  repo_commit_sha: text,
});
export type SourceRevisionConfigView = z.input<typeof sourceRevisionConfigView>;

export const sourceConfigView = z.object({
  ...shownShape(sourceConfigNames),
  integration_id: z.guid().nullable(),
  listener_id: z.guid().nullable(),
  listener_config: z.object({ k8s_namespace: text }).nullable(),
  /** `none`: pushes are asked for, but no integration reports them. */
  push_source: z.enum(['integration', 'none']).nullable(),
});

const agentView = z.object({ agent_id: z.string(), environment: z.string() });

const { display_name, ...otherPlain } = plainShown();

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
  secrets: z.array(z.object({ name: z.string(), value: z.literal(SECRET_MASK) })),
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
  ...otherPlain,
  /**
   * Built folders that are stored, as of the end of the last revision that ran one; null before that, and
   * where images run.
   */
  artifacts: z.object({ count: z.int(), size_bytes: z.int() }).nullable(),
});
export type DeploymentView = z.input<typeof deploymentView>;

/** `head`: a look at the branch found a commit that no delivery had told of. */
const revisionCauseView = z.object({
  kind: z.enum(revisionCauses),
  /** Of a push: the delivery, as `GET /v2/integrations/{integration_id}/deliveries` lists it. */
  delivery_id: text,
  /** Of a redeploy: the revision that it runs again. */
  revision_id: text,
  /** Of a redeploy: why. Of a push: why its push_paths could not be evaluated; it is built then. */
  reason: text,
});

export const revisionView = z.object({
  id: z.guid(),
  deployment_id: z.guid(),
  created_at: timestamp,
  updated_at: timestamp,
  source: z.enum(sources),
  source_revision_config: sourceRevisionConfigView,
  status: z.enum(revisionStatuses),
  status_message: text,
  status_history: z.array(z.object({ status: z.enum(revisionStatuses), at: timestamp })),
  remote_reconciled: z.boolean(),
  /** 1 is next; null unless QUEUED. */
  queue_position: z.int().nullable(),
  interrupt_requested_at: text,
  /** What it is built and run with; null unless it is asked for with `include=configuration`. */
  configuration: z
    .object({
      ...shownShape(runFields),
      /** Names alone: values are never shown. */
      secret_names: z.array(z.string()),
    })
    .nullable(),
  /** What is known of its commit; null before that, and where there is none. */
  commit: z.object({ message: z.string(), author: z.string(), at: timestamp }).nullable(),
  /** What made it. */
  cause: revisionCauseView,
});
export type RevisionView = z.input<typeof revisionView>;

/** What became of each: 204, or the status and the text that it would have been refused with alone. */
export const deletionResultsView = z.object({
  results: z.array(z.object({ deployment_id: z.guid(), status: z.int(), detail: text })),
});
export type DeletionResultsView = z.input<typeof deletionResultsView>;

// `offset` is what to ask the next page with.
const offset = z.int();
export const listedDeploymentView = deploymentView.extend({
  /** The newest revision; null unless it is asked for with `include=latest_revision`. */
  latest_revision: revisionView.nullable(),
});
export type ListedDeploymentView = z.input<typeof listedDeploymentView>;
export const deploymentListView = z.object({ resources: z.array(listedDeploymentView), offset: offset });
export const revisionListView = z.object({ resources: z.array(revisionView), offset: offset });
