import * as z from 'zod';
import { runFields, shownShape } from '../../contract/deployments/fields.ts';
import { resolvedRuntimes } from '../../contract/deployments/runtimes.ts';
import { maskedSecrets } from '../../contract/deployments/secrets.ts';
import { revisionCauses, revisionStatuses, sources } from '../../contract/revision-status.ts';
import { withoutNulls } from '../../contract/validation/json.ts';

const text = z.string().nullable();
const timestamp = z.string();

export const sourceRevisionConfigView = z.object({
  repo_ref: text,
  graph_config_path: text,
  /** `graph_config_path` under the name that older clients read. */
  langgraph_config_path: text,
  image_uri: text,
  source_tarball_path: text,
  repo_commit_sha: text,
});
export type SourceRevisionConfigView = z.input<typeof sourceRevisionConfigView>;

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

/**
 * Who made it: a person or a key that asked for it, or a program; `git`: a push, by the author of its commit.
 * `id`: of the user. `name`: null where an earlier release has not noted it.
 */
const makerView = z.object({ kind: z.enum(['person', 'key', 'service', 'git']), id: z.string(), name: text });

export const revisionView = z.object({
  id: z.guid(),
  deployment_id: z.guid(),
  /** Revisions of a deployment are counted from 1. */
  number: z.int(),
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
      build_secrets: maskedSecrets.nullable(),
      /** Names alone: values are never shown. */
      secret_names: z.array(z.string()),
      /** Which version of the values; another number: they were set in between. null: no secrets. */
      secrets_version: z.int().nullable(),
      build_secrets_version: z.int().nullable(),
    })
    .nullable(),
  /** What is known of its commit; null before that, and where there is none. */
  commit: z.object({ message: z.string(), author: z.string(), at: timestamp }).nullable(),
  /** What made it. */
  cause: revisionCauseView,
  created_by: makerView,
  /** What runs it; null until its deploy begins. */
  runtime_resolved: z.enum(resolvedRuntimes).nullable(),
});
export type RevisionView = z.input<typeof revisionView>;

/** `offset` is what to ask the next page with. */
export const revisionListView = z.object({ resources: z.array(revisionView), offset: z.int() });

/**
 * What was asked for. `waiting`: how many threads wait in the revision, as its listener reported at the time
 * beside it; null: nothing is known.
 */
export const releaseView = z.object({
  deployment_id: z.guid(),
  revision_id: z.guid(),
  waiting: z.int().nullable(),
  reported_at: text,
});
export type ReleaseView = z.input<typeof releaseView>;

const REASON_LENGTH_MAX = 200;

const reason = () => ({
  reason: z
    .string()
    .max(REASON_LENGTH_MAX)
    .regex(/^\P{Cc}*$/u, 'a reason contains no control characters')
    .nullish(),
});

/** Why a person asks for it. It is shown with a revision that is deployed again, and the audit log keeps it. */
export const reasonBody = z.object(reason()).transform(withoutNulls);

/** `accept_new_state`: it may begin without the threads that another runtime has. */
export const redeployBody = z
  .object({ ...reason(), accept_new_state: z.boolean().nullish() })
  .transform(withoutNulls);
