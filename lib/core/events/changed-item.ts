import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { DeploymentEvent } from '../../contract/events.ts';
import { type RevisionStatus, revisionStatuses } from '../../contract/revision-status.ts';
import type { History, Named, News } from '../../domain/event-count.ts';
import { isTerminal } from '../../domain/transitions.ts';
import type { Item } from '../../store/dynamodb/transact.ts';
import { type Image, itemOf } from '../../store/stream-images.ts';
import { type AuditEvent, type AuditMark, auditMark } from '../items/audit-events.ts';
import { deploymentHealth } from '../items/health.ts';
import { deploymentOf } from '../items/item-places.ts';
import { threadsNews } from '../items/threads.ts';

/** A record of the stream: an item as it was and as it is; `at` in epoch milliseconds. */
type Change<I> = {
  sequenceNumber: string;
  pk: string;
  before: I | undefined;
  after: I | undefined;
  at: number;
};
export type ChangeRecord = Change<Image>;
export type ChangedItem = Change<Item>;

export const changedItem = ({ before, after, ...rest }: ChangeRecord): ChangedItem => ({
  ...rest,
  before: before && itemOf(before),
  after: after && itemOf(after),
});

/** An event before it is numbered. */
export type Unnumbered = Omit<DeploymentEvent, 'sequence'>;

/** What is read of the images, whatever else later versions of the items hold. */
const deploymentImage = z.object({ tenant_id: z.string(), id: z.string(), created_at: z.string() });
const revisionImage = z.object({
  tenant_id: z.string(),
  deployment_id: z.string(),
  id: z.string(),
  number: z.int(),
  history: z.array(z.object({ status: z.enum(revisionStatuses), at: z.string() })),
});

/** What a change of an item means for who follows its deployment: nothing, mostly. */
export function newsOf({ before, after, at }: ChangedItem): News<Unnumbered>[] {
  const entity = (after ?? before)?.entity;
  if (entity === 'revision' && after !== undefined) {
    const known = Array.isArray(before?.history) ? before.history.length : 0;
    const history = historyOf(after, known);
    return history.events.length > known ? [history] : [];
  }
  if (entity === 'deployment_health') return after === undefined ? [] : [healthEvent(after)];
  if (entity === 'threads_news') return after === undefined ? [] : threadEvents(before, after);
  if (entity !== 'deployment' || (before !== undefined && after !== undefined)) return [];
  if (after !== undefined) return [createdEvent(after)];
  const { tenant_id, id } = deploymentImage.parse(before);
  const type = 'deployment.deleted' as const;
  const event = { id: `${id}:deleted`, type, at: new Date(at).toISOString(), tenant_id, deployment_id: id };
  return [{ name: DELETION_EVENT, event }];
}

const healthImage = deploymentHealth.omit({ v: true, entity: true });

/** Longer ones say no more. */
const REASON_LENGTH_MAX = 500;

function healthEvent(item: Item): Named<Unnumbered> {
  const { reason, ...of } = healthImage.parse(item);
  const type = 'deployment.health_changed' as const;
  const shown = reason === undefined ? {} : { reason: reason.slice(0, REASON_LENGTH_MAX) };
  return {
    name: `health ${of.at}`,
    event: { id: `${of.deployment_id}:health:${of.at}`, type, ...of, ...shown },
  };
}

const threadsImage = threadsNews.omit({ v: true, entity: true });

const THREADS = (count: number): string => (count === 1 ? '1 thread' : `${count} threads`);

/** What is told in it and was not in the one before. */
function threadEvents(before: Item | undefined, item: Item): Named<Unnumbered>[] {
  const { tenant_id, deployment_id, expired = [], released } = threadsImage.parse(item);
  const told = before === undefined ? undefined : threadsImage.parse(before);
  const of = { tenant_id, deployment_id };
  const eventOf = (
    type: 'deployment.threads_expired' | 'deployment.threads_released',
    { revision_id, at }: { revision_id: string; at: string },
    reason: string,
  ): Named<Unnumbered> => {
    const name = `${type} ${revision_id} ${at}`;
    const id = `${deployment_id}:${type.replace('deployment.', '')}:${revision_id}:${at}`;
    return { name, event: { id, type, at, ...of, revision_id, reason } };
  };
  const ended = isDeepStrictEqual(told?.expired, expired) ? [] : expired;
  const isLetGo = released !== undefined && !isDeepStrictEqual(told?.released, released);
  return [
    ...ended.map((one) =>
      eventOf(
        'deployment.threads_expired',
        one,
        `${THREADS(one.threads)} had waited longer than on_release.days and ended with an error.`,
      ),
    ),
    ...(isLetGo
      ? [
          eventOf(
            'deployment.threads_released',
            released,
            `User ${released.user_id} let ${released.threads === undefined ? 'the threads' : THREADS(released.threads)} go on with the revision that serves.`,
          ),
        ]
      : []),
  ];
}

/** That a deployment was made, by its item. */
export function createdEvent(item: Item): Named<Unnumbered> {
  const { tenant_id, id, created_at } = deploymentImage.parse(item);
  const type = 'deployment.created' as const;
  return {
    name: CREATION_EVENT,
    event: { id: `${id}:created`, type, at: created_at, tenant_id, deployment_id: id },
  };
}

export const CREATION_EVENT = 'created';
export const DELETION_EVENT = 'deleted';

/** Where a revision is or ends while nothing has begun with it. */
const NOT_BEGUN: ReadonlySet<RevisionStatus> = new Set([
  'CREATING',
  'QUEUED',
  'CREATE_FAILED',
  'SKIPPED',
  'INTERRUPTED',
]);

/**
 * All statuses of a revision as events, by its item. `known`: so many had been there before the change that
 * is published now.
 */
export function historyOf(item: Item, known: number): History<Unnumbered> {
  const { tenant_id, deployment_id, id, number, history } = revisionImage.parse(item);
  const events = history.map(({ status, at }, place) => {
    const type = 'revision.status_changed' as const;
    const event = { id: `${id}:${place}`, type, at, tenant_id, deployment_id, revision_id: id, status };
    return { name: `${number}.${place}`, event };
  });
  const last = history.at(-1)?.status;
  const hasBegun = history.some(({ status }) => !NOT_BEGUN.has(status));
  return { number, known, events, hasBegun, isEnded: last !== undefined && isTerminal(last) };
}

/** The actor, action and resource of a change that a request made. */
export function auditedBy({
  pk,
  before,
  after,
}: ChangedItem): { mark: AuditMark; of: Pick<AuditEvent, 'deployment_id' | 'subject_id'> } | undefined {
  if (after?.audit === undefined) return undefined;
  const mark = auditMark.parse(after.audit);
  if (auditMark.safeParse(before?.audit).data?.id === mark.id) return undefined;
  const deploymentId = deploymentOf(pk)?.deploymentId;
  const subjectId = mark.subject_id ?? ownIdOf(after, deploymentId);
  const of = {
    ...(deploymentId !== undefined && { deployment_id: deploymentId }),
    ...(subjectId !== undefined && subjectId !== deploymentId && { subject_id: subjectId }),
  };
  return { mark, of };
}

/**
 * Most items name themselves. A member lies under its id; a tenant is what it belongs to; the rest belongs to
 * its deployment.
 */
function ownIdOf({ id, sk, tenant_id }: Item, deploymentId: string | undefined): string | undefined {
  const named = id ?? (deploymentId !== undefined ? undefined : sk === 'A' ? tenant_id : sk);
  return typeof named === 'string' ? named : undefined;
}
