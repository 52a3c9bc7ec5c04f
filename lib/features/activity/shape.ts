import * as z from 'zod';
import { id, page } from '../../contract/validation/query.ts';

/** What happened, as people tell it. Names never change; more may be added. */
export const activityKinds = [
  'deployment_created',
  'deployment_changed',
  'deployment_deleted',
  'revision_begun',
  'revision_rolled_back',
  'revision_stopped',
  'revision_took_over',
  'revision_failed',
  'deployment_unhealthy',
  'deployment_healthy',
  'threads_expired',
  'threads_released',
  'listener_offline',
  'listener_online',
  'listener_changed',
  'integration_changed',
  'webhook_changed',
  'webhook_disabled',
  'key_changed',
  'member_changed',
  'provider_changed',
  'grant_expired',
  'signed_in',
] as const;
export type ActivityKind = (typeof activityKinds)[number];

/** `GET /v2/activity` and `GET /v2/deployments/{deployment_id}/activity`. */
export const listActivityQuery = z.object(page);
export const deploymentParams = z.object({ deployment_id: id });

/**
 * `person`: a member, by the name that the identity provider gives. `key`: whoever holds this key, by its
 * name. `git`: the author of a commit. `service`: a job of CI.
 */
const actorKinds = ['person', 'key', 'git', 'service'] as const;
const actor = z.object({ kind: z.enum(actorKinds), name: z.string() });
export type Actor = z.input<typeof actor>;

const named = z.object({ id: z.string(), name: z.string() });
const revision = z.object({ id: z.guid(), number: z.int() });

const activityView = z.object({
  id: z.string(),
  at: z.string(),
  kind: z.enum(activityKinds),
  /** Null: nobody did it, or it is not known who, or the caller may not know. */
  actor: actor.nullable(),
  /** Null: it is about no deployment, or about one whose name is not known any more. */
  deployment: named.nullable(),
  revision: revision.nullable(),
  /** Another thing that it is about: a listener, a webhook, an integration, a key, a member, a provider. */
  subject: named.nullable(),
  /** The whole sentence, without its full stop. The names above stand in it as they are. */
  says: z.string(),
});
export type ActivityView = z.input<typeof activityView>;

/** `offset` is what to ask the next page with. */
export const activityListView = z.object({ resources: z.array(activityView), offset: z.int() });

export const attentionKinds = [
  'deployment_failed',
  'crash_loop',
  'unhealthy',
  'listener_offline',
  'webhook_failing',
  'key_expiring',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

const attentionEntry = z.object({
  kind: z.enum(attentionKinds),
  since: z.string(),
  deployment: named.nullable(),
  revision: revision.nullable(),
  /** The listener, webhook or key. */
  subject: named.nullable(),
  /** What is wrong, a sentence without its full stop. */
  says: z.string(),
  /** What that means, and for whom, in whole sentences. */
  effect: z.string(),
  /** Of a key: when it ends. */
  ends_at: z.string().nullable(),
});
export type AttentionEntry = z.input<typeof attentionEntry>;

/** The newest first; at most a hundred. */
export const attentionView = z.object({ resources: z.array(attentionEntry) });
