import type { AuditAction, AuditDetails } from '../../contract/audit.ts';
import type { AuditEvent } from '../../core/items/audit-events.ts';
import type { FeedEvent } from '../../core/items/feed.ts';
import { timeOf } from '../../domain/ordered-id.ts';
import { numberOf } from '../../domain/revision-id.ts';
import type { ActivityKind } from './shape.ts';

/** What a request did, or what happened by itself, before anything is looked up. `at`: epoch milliseconds. */
export type Raw = { at: number } & ({ audit: AuditEvent } | { event: FeedEvent['event'] });

/** What is told of it. */
export type Told = {
  id: string;
  at: number;
  kind: ActivityKind;
  deploymentId?: string | undefined;
  revisionId?: string | undefined;
  /** Another thing that it is about. */
  subject?: { kind: SubjectKind; id: string } | undefined;
  /** Who asked for it. */
  by?: { userId: string | undefined; keyId: string | undefined } | undefined;
  /** The verb, where one kind has several. */
  verb: string;
  details?: AuditDetails | undefined;
  reason?: string | undefined;
  /** The number of the revision that served before this one. */
  before?: number | undefined;
};
export type SubjectKind = 'listener' | 'integration' | 'webhook' | 'key' | 'member' | 'provider';

type Row = { kind: ActivityKind; verb: string; subject?: SubjectKind };

/** What requests did that other people want to hear of. Nobody is told what was only read or handed out. */
const ofRequests: Partial<Record<AuditAction, Row>> = {
  'deployment.create': { kind: 'deployment_created', verb: 'created' },
  'deployment.change': { kind: 'deployment_changed', verb: 'changed' },
  'deployment.delete': { kind: 'deployment_deleted', verb: 'deleted' },
  'revision.create': { kind: 'revision_begun', verb: 'deployed' },
  'revision.redeploy': { kind: 'revision_rolled_back', verb: 'rolled back' },
  'revision.interrupt': { kind: 'revision_stopped', verb: 'stopped' },
  'revision.release_threads': { kind: 'threads_released', verb: 'released' },
  'listener.create': { kind: 'listener_changed', verb: 'added', subject: 'listener' },
  'listener.change': { kind: 'listener_changed', verb: 'changed', subject: 'listener' },
  'listener.delete': { kind: 'listener_changed', verb: 'removed', subject: 'listener' },
  'integration.create': { kind: 'integration_changed', verb: 'connected', subject: 'integration' },
  'integration.change': { kind: 'integration_changed', verb: 'changed', subject: 'integration' },
  'integration.delete': { kind: 'integration_changed', verb: 'disconnected', subject: 'integration' },
  'webhook.create': { kind: 'webhook_changed', verb: 'added', subject: 'webhook' },
  'webhook.change': { kind: 'webhook_changed', verb: 'changed', subject: 'webhook' },
  'webhook.delete': { kind: 'webhook_changed', verb: 'deleted', subject: 'webhook' },
  'api_key.create': { kind: 'key_changed', verb: 'made', subject: 'key' },
  'api_key.revoke': { kind: 'key_changed', verb: 'revoked', subject: 'key' },
  'membership.change': { kind: 'member_changed', verb: 'invited', subject: 'member' },
  'membership.remove': { kind: 'member_changed', verb: 'removed', subject: 'member' },
  'oauth_provider.create': { kind: 'provider_changed', verb: 'added', subject: 'provider' },
  'oauth_provider.change': { kind: 'provider_changed', verb: 'changed', subject: 'provider' },
  'oauth_provider.delete': { kind: 'provider_changed', verb: 'removed', subject: 'provider' },
  'device_login.confirm': { kind: 'signed_in', verb: 'signed in' },
};

const isAction = (action: string): action is keyof typeof ofRequests => Object.hasOwn(ofRequests, action);

function toldOfAudit(audit: AuditEvent, at: number): Told | undefined {
  const row = isAction(audit.action) ? ofRequests[audit.action] : undefined;
  if (row === undefined) return undefined;
  const { deployment_id: deploymentId, subject_id: subjectId, details } = audit;
  const isOfRevision = audit.action.startsWith('revision.');
  return {
    id: audit.sk,
    at,
    kind: row.kind,
    verb: row.verb,
    deploymentId,
    ...(isOfRevision && subjectId !== undefined && { revisionId: subjectId }),
    ...(row.subject !== undefined &&
      subjectId !== undefined && { subject: { kind: row.subject, id: subjectId } }),
    by: { userId: audit.user_id, keyId: audit.key_id },
    details,
    reason: details?.reason,
  };
}

/** The statuses that tell people something, whoever reads. */
const ofStatuses: Partial<Record<string, Row>> = {
  DEPLOYED: { kind: 'revision_took_over', verb: 'took over' },
  CREATE_FAILED: { kind: 'revision_failed', verb: 'could not be built' },
  BUILD_FAILED: { kind: 'revision_failed', verb: 'failed to build' },
  DEPLOY_FAILED: { kind: 'revision_failed', verb: 'failed to start' },
};

/** What is told to those who may not read the audit events, which say it with who did it. */
const ofOthers: Partial<Record<string, Row>> = {
  INTERRUPTED: { kind: 'revision_stopped', verb: 'stopped' },
};

/** Of the events of a revision, whose ids end with their place in its history, the one that it began with. */
export const isBeginning = ({ id, type }: FeedEvent['event']): boolean =>
  type === 'revision.status_changed' && id.endsWith(':0');

function rowOfEvent(event: FeedEvent['event'], readsAudit: boolean): Row | undefined {
  switch (event.type) {
    case 'revision.status_changed': {
      const status = event.status ?? '';
      const row = ofStatuses[status] ?? (readsAudit ? undefined : ofOthers[status]);
      if (row !== undefined) return row;
      return isBeginning(event) && status !== 'SKIPPED'
        ? { kind: 'revision_begun', verb: 'began' }
        : undefined;
    }
    case 'deployment.health_changed':
      return event.healthy === true
        ? { kind: 'deployment_healthy', verb: 'is healthy again' }
        : { kind: 'deployment_unhealthy', verb: 'became unhealthy' };
    case 'deployment.threads_expired':
      return { kind: 'threads_expired', verb: 'expired' };
    case 'deployment.threads_released':
      return readsAudit ? undefined : { kind: 'threads_released', verb: 'released' };
    case 'deployment.created':
      return readsAudit ? undefined : { kind: 'deployment_created', verb: 'created' };
    case 'deployment.deleted':
      return readsAudit ? undefined : { kind: 'deployment_deleted', verb: 'deleted' };
    case 'listener.offline':
      return { kind: 'listener_offline', verb: 'went offline', subject: 'listener' };
    case 'listener.online':
      return { kind: 'listener_online', verb: 'is online', subject: 'listener' };
    case 'webhook.disabled':
      return { kind: 'webhook_disabled', verb: 'disabled', subject: 'webhook' };
    case 'oauth_token.expired':
      return { kind: 'grant_expired', verb: 'expired', subject: 'provider' };
    default:
      return undefined;
  }
}

function toldOfEvent(event: FeedEvent['event'], at: number, readsAudit: boolean): Told | undefined {
  const row = rowOfEvent(event, readsAudit);
  if (row === undefined) return undefined;
  const told = { id: event.id, at, kind: row.kind, verb: row.verb };
  if ('deployment_id' in event)
    return {
      ...told,
      deploymentId: event.deployment_id,
      revisionId: event.revision_id,
      reason: event.reason,
    };
  if ('listener_id' in event) return { ...told, subject: { kind: 'listener', id: event.listener_id } };
  if ('webhook_id' in event)
    return { ...told, subject: { kind: 'webhook', id: event.webhook_id }, reason: event.reason };
  return { ...told, subject: { kind: 'provider', id: event.provider_id } };
}

/** A request and the revision that it made are so far apart at most. */
export const TOGETHER_MILLISECONDS = 10_000;

/** These requests may have made a revision. */
const MAKES_REVISION: ReadonlySet<ActivityKind> = new Set([
  'deployment_created',
  'deployment_changed',
  'revision_begun',
  'revision_rolled_back',
]);

/**
 * Tells what happened, newest first, of what is given newest first, each thing once: a request and the
 * revision that it made are one entry; of a revision that took over it says which one served before, as far
 * as that is among what is given. A change that made a revision deployed it.
 */
export function tellerOf({ readsAudit }: { readsAudit: boolean }): {
  told: Told[];
  tell: (raw: Raw) => void;
} {
  const told: Told[] = [];
  const asked = new Map<string, Told>();
  const tookOver = new Map<string, Told>();
  const tell = (raw: Raw): void => {
    if ('audit' in raw) {
      const entry = toldOfAudit(raw.audit, raw.at);
      if (entry === undefined) return;
      if (entry.deploymentId !== undefined && MAKES_REVISION.has(entry.kind))
        asked.set(entry.deploymentId, entry);
      told.push(entry);
      return;
    }
    const entry = toldOfEvent(raw.event, raw.at, readsAudit);
    if (entry === undefined) return;
    const { deploymentId = '', revisionId } = entry;
    if (isBeginning(raw.event) && isMadeBy(asked.get(deploymentId), entry)) {
      asked.delete(deploymentId);
      return;
    }
    if (entry.kind === 'revision_took_over' && revisionId !== undefined) {
      const next = tookOver.get(deploymentId);
      if (next !== undefined) next.before = numberOf(revisionId);
      tookOver.set(deploymentId, entry);
    }
    told.push(entry);
  };
  return { told, tell };
}

/** Whether the revision that begins was asked for by this request, which is then told with it. */
function isMadeBy(request: Told | undefined, beginning: Told): boolean {
  if (request === undefined || request.at - beginning.at > TOGETHER_MILLISECONDS) return false;
  request.revisionId ??= beginning.revisionId;
  if (request.kind === 'deployment_changed') {
    request.kind = 'revision_begun';
    request.verb = 'deployed';
  }
  return true;
}

/** When something happened, in epoch milliseconds. */
export const timeOfAudit = ({ sk }: AuditEvent): number => timeOf(sk);
