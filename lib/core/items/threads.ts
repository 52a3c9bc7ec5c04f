import * as z from 'zod';
import type { ExpiredThreads, ThreadCounts } from '../../contract/deployments/threads.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { guard, same, update } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { threadsKey, threadsNewsKey } from '../../store/keys/presence.ts';
import type { Table } from '../../store/table.ts';
import type { AuditMark } from './audit-events.ts';

/**
 * The threads of a deployment, as its listener last reported them. It is apart from the deployment: counts
 * change often, and nothing that the engine decides depends on them.
 */
export const deploymentThreads = z.object({
  v: z.literal(1),
  entity: z.literal('deployment_threads'),
  tenant_id: z.string(),
  deployment_id: z.string(),
  /** ISO 8601 UTC: when these counts were first reported; absent: none were. */
  reported_at: z.string().optional(),
  revisions: z
    .array(
      z.object({
        revision_id: z.string(),
        runs: z.int(),
        waiting: z.int(),
        oldest_at: z.string().nullable(),
      }),
    )
    .optional(),
  /** Revisions whose waiting threads were let go, until none waits there. */
  releasing: z.array(z.string()).optional(),
});
export type DeploymentThreads = z.infer<typeof deploymentThreads>;

/**
 * What happened to threads last. Apart from the counts, so that the consumer of the stream that makes events
 * hears of this alone.
 */
export const threadsNews = z.object({
  v: z.literal(1),
  entity: z.literal('threads_news'),
  tenant_id: z.string(),
  deployment_id: z.string(),
  /** The threads that ended with the days of on_release, as the last report had them that told any. */
  expired: z.array(z.object({ revision_id: z.string(), threads: z.int(), at: z.string() })).optional(),
  /** The threads that a person let go last. `threads`: how many waited then; absent: not known. */
  released: z
    .object({ revision_id: z.string(), user_id: z.string(), threads: z.int().optional(), at: z.string() })
    .optional(),
});
export type ThreadsNews = z.infer<typeof threadsNews>;

export const findThreads = (table: Table, ref: DeploymentRef): Promise<DeploymentThreads | undefined> =>
  find(table, threadsKey(ref.tenantId, ref.deploymentId), deploymentThreads);

export const findThreadsNews = (table: Table, ref: DeploymentRef): Promise<ThreadsNews | undefined> =>
  find(table, threadsNewsKey(ref.tenantId, ref.deploymentId), threadsNews);

const base = ({ tenantId, deploymentId }: DeploymentRef) => ({
  v: 1,
  tenant_id: tenantId,
  deployment_id: deploymentId,
});

type Known = Pick<DeploymentThreads, 'reported_at' | 'revisions' | 'releasing'>;

/** Keeps what is known of threads. Demands that those which are being let go are as read. */
export function keepThreads(ref: DeploymentRef, before: Known | undefined, after: Known): Write {
  const { reported_at, revisions, releasing = [] } = after;
  const isReleasing = releasing.length > 0;
  return update(
    'deployment_threads',
    threadsKey(ref.tenantId, ref.deploymentId),
    {
      set: {
        ...base(ref),
        entity: 'deployment_threads',
        reported_at,
        revisions,
        ...(isReleasing && { releasing }),
      },
      ...(!isReleasing && { remove: ['releasing'] }),
    },
    guard('threads: let go as read', same('releasing', before?.releasing)),
  );
}

/** Has it told that threads were ended. Demands that no other report has told of any since. */
export const tellExpired = (
  ref: DeploymentRef,
  before: ThreadsNews | undefined,
  expired: readonly ExpiredThreads[],
): Write =>
  update(
    'threads_news',
    threadsNewsKey(ref.tenantId, ref.deploymentId),
    { set: { ...base(ref), entity: 'threads_news', expired } },
    guard('threads: told as read', same('expired', before?.expired)),
  );

/** Has it told that a person let threads go. */
export const tellReleased = (
  ref: DeploymentRef,
  released: NonNullable<ThreadsNews['released']>,
  audit: AuditMark,
): Write =>
  update('threads_news', threadsNewsKey(ref.tenantId, ref.deploymentId), {
    set: { ...base(ref), entity: 'threads_news', released, audit },
  });

/** Counts in one order and one spelling of times, however a listener sends them. */
export const inOrder = (counts: readonly ThreadCounts[]): ThreadCounts[] =>
  counts
    .map(({ oldest_at: at, ...rest }) => ({ ...rest, oldest_at: at === null ? null : canonical(at) }))
    .sort((one, other) => other.waiting - one.waiting || (one.revision_id < other.revision_id ? -1 : 1));

/** What of it is later than all that was told before. */
export function notYetTold(
  before: ThreadsNews | undefined,
  expired: readonly ExpiredThreads[],
): ExpiredThreads[] {
  const told = before?.expired?.map(({ at }) => at) ?? [];
  return expired
    .map(({ at, ...rest }) => ({ ...rest, at: canonical(at) }))
    .filter(({ at }) => told.every((one) => one < at));
}

const canonical = (time: string): string => new Date(time).toISOString();
