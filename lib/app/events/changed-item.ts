import * as z from 'zod';
import type { DeploymentEvent } from '../../contract/events.ts';
import { lazy } from '../../contract/lazy.ts';
import { revisionStatuses } from '../../contract/revision-status.ts';
import { type AuditEvent, type AuditMark, auditMark } from '../../store/audit-items.ts';
import { type Image, itemOf } from '../../store/images.ts';
import { deploymentOf } from '../../store/keys.ts';
import type { Item } from '../../store/operations.ts';

/** What a record of the stream tells: an item as it was and as it is; `at` in epoch milliseconds. */
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

/** An event before it is numbered. `name` tells it from the others of its deployment. */
export type Unnumbered = { name: string; event: Omit<DeploymentEvent, 'sequence'> };

/** What is read of the images, whatever else later versions of the items hold. */
const deploymentImage = lazy(() =>
  z.object({ tenant_id: z.string(), id: z.string(), created_at: z.string() }),
);
const revisionImage = lazy(() =>
  z.object({
    tenant_id: z.string(),
    deployment_id: z.string(),
    id: z.string(),
    number: z.int(),
    history: z.array(z.object({ status: z.enum(revisionStatuses), at: z.string() })),
  }),
);

/** What a change of an item means for who follows its deployment: nothing, mostly. */
export function eventsOf({ before, after, at }: ChangedItem): Unnumbered[] {
  const entity = (after ?? before)?.entity;
  if (entity === 'revision' && after !== undefined) return statusChanges(before, after);
  if (entity !== 'deployment' || (before !== undefined && after !== undefined)) return [];
  const { tenant_id, id, created_at } = deploymentImage().parse(after ?? before);
  const came = after !== undefined;
  const event = {
    id: `${id}:${came ? 'created' : 'deleted'}`,
    type: came ? ('deployment.created' as const) : ('deployment.deleted' as const),
    at: came ? created_at : new Date(at).toISOString(),
    tenant_id,
    deployment_id: id,
  };
  return [{ name: came ? CREATED : DELETED, event }];
}

const CREATED = 'created';
export const DELETED = 'deleted';

/** One for each status that the history has more than it had. */
function statusChanges(before: Item | undefined, after: Item): Unnumbered[] {
  const { tenant_id, deployment_id, id, number, history } = revisionImage().parse(after);
  const known = Array.isArray(before?.history) ? before.history.length : 0;
  return history.slice(known).map(({ status, at }, index) => {
    const place = known + index;
    const event = {
      id: `${id}:${place}`,
      type: 'revision.status_changed' as const,
      at,
      tenant_id,
      deployment_id,
      revision_id: id,
      status,
    };
    return { name: `${number}.${place}`, event };
  });
}

/** Who did what, when the change is one that a person's request made, and to which thing. */
export function auditedBy({
  pk,
  before,
  after,
}: ChangedItem): { mark: AuditMark; of: Pick<AuditEvent, 'deployment_id' | 'subject_id'> } | undefined {
  if (after?.audit === undefined) return undefined;
  const mark = auditMark().parse(after.audit);
  if (auditMark().safeParse(before?.audit).data?.id === mark.id) return undefined;
  const deploymentId = deploymentOf(pk)?.deploymentId;
  const subjectId = mark.subject_id ?? ownIdOf(after, deploymentId);
  const of = {
    ...(deploymentId !== undefined && { deployment_id: deploymentId }),
    ...(subjectId !== undefined && subjectId !== deploymentId && { subject_id: subjectId }),
  };
  return { mark, of };
}

/** Most items name themselves. A member lies under its id; a tenant is what it belongs to; the rest belongs to its deployment. */
function ownIdOf({ id, sk, tenant_id }: Item, deploymentId: string | undefined): string | undefined {
  const named = id ?? (deploymentId !== undefined ? undefined : sk === 'A' ? tenant_id : sk);
  return typeof named === 'string' ? named : undefined;
}
