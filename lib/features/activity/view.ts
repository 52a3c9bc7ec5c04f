import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findIntegration } from '../../core/items/integrations.ts';
import type { Revision } from '../../core/items/items.ts';
import { findRevision } from '../../core/items/revisions.ts';
import { numberOf } from '../../domain/revision-id.ts';
import { findWebhook } from '../webhooks/store.ts';
import { actorOf, deploymentName, keyFacts, listenerName } from './names.ts';
import { saysOf } from './says.ts';
import type { ActivityKind, ActivityView, Actor } from './shape.ts';
import type { Told } from './told.ts';

type Table = Deps['table'];

/** Of these the revision says who pushed it, or which one it runs again. */
const LOOKS_AT_REVISION: ReadonlySet<ActivityKind> = new Set([
  'revision_begun',
  'revision_failed',
  'revision_rolled_back',
]);

/**
 * An entry with the names that stand in its sentence. Reads what it is about: a deployment, a listener and a
 * key once in the life of the process, for their names stay.
 */
export async function activityViewOf(
  { table }: Pick<Deps, 'table'>,
  caller: Caller,
  told: Told,
): Promise<ActivityView> {
  const { tenantId } = caller;
  const { deploymentId, revisionId } = told;
  const [deployment, revision, subject, asker] = await Promise.all([
    deploymentId === undefined ? undefined : deploymentName(table, tenantId, deploymentId),
    revisionOf(table, tenantId, told),
    subjectName(table, caller, told),
    told.by === undefined ? null : actorOf(table, caller, told.by),
  ]);
  const pushedBy = pusherOf(revision);
  const actor: Actor | null = asker ?? (pushedBy ? { kind: 'git', name: pushedBy } : null);
  const again = revision?.cause?.kind === 'redeploy' ? numberOf(revision.cause.revision_id) : undefined;
  const says = saysOf(told, { who: asker?.name, deployment, subject, pushedBy, again });
  const isKnown = deploymentId !== undefined && deployment !== undefined;
  return {
    id: told.id,
    at: new Date(told.at).toISOString(),
    kind: told.kind,
    actor,
    deployment: isKnown ? { id: deploymentId, name: deployment } : null,
    revision: revisionId === undefined ? null : { id: revisionId, number: numberOf(revisionId) },
    subject:
      told.subject === undefined || subject === undefined ? null : { id: told.subject.id, name: subject },
    says,
  };
}

async function revisionOf(
  table: Table,
  tenantId: string,
  { kind, deploymentId, revisionId }: Told,
): Promise<Revision | undefined> {
  if (deploymentId === undefined || revisionId === undefined || !LOOKS_AT_REVISION.has(kind))
    return undefined;
  return findRevision(table, { tenantId, deploymentId, revisionId });
}

/** Who wrote the commit that a push brought; null: nobody that is known; undefined: it was no push. */
function pusherOf(revision: Revision | undefined): string | null | undefined {
  const kind = revision?.cause?.kind;
  return kind === 'push' || kind === 'head' ? (revision?.commit?.author ?? null) : undefined;
}

async function subjectName(
  table: Table,
  caller: Caller,
  { subject, details }: Told,
): Promise<string | undefined> {
  const { tenantId } = caller;
  switch (subject?.kind) {
    case 'listener':
      return listenerName(table, tenantId, subject.id);
    case 'integration':
      return (await findIntegration(table, tenantId, subject.id))?.name;
    case 'webhook':
      return (await findWebhook(table, { tenantId, webhookId: subject.id }))?.name;
    case 'key':
      return (await keyFacts(table, caller, subject.id))?.name ?? details?.hint;
    case 'member':
      return details?.user_id;
    case 'provider':
      return subject.id;
    default:
      return undefined;
  }
}
