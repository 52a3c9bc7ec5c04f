import * as z from 'zod';
import { branchOf } from '../../domain/pushes.ts';
import { repositoryName } from '../../domain/repository-name.ts';
import { sourceKinds } from '../../domain/source.ts';
import { collected } from '../dynamodb/collected.ts';
import { equals, guard, present, put, remove, same, update } from '../dynamodb/expressions.ts';
import { find, queryAll } from '../dynamodb/reads.ts';
import { startingWith } from '../dynamodb/sort-key-range.ts';
import type { Write } from '../dynamodb/transact.ts';
import { dueItems } from '../engine/due.ts';
import type { Deployment } from '../engine/items.ts';
import type { Key } from '../keys/index.ts';
import { awaitedPrefix, HEAD_PREFIX, HEADS_DUE, headKey, WATCH_PREFIX, watchKey } from '../keys/pushes.ts';
import type { Table } from '../table.ts';
import { type AwaitedPush, awaitedPush } from './delivery-shapes.ts';

/**
 * That a deployment builds what is pushed to a branch. Its row lies by the repository, so that a push finds
 * it without any search.
 */
export const watch = z.object({
  v: z.literal(1),
  entity: z.literal('push_watch'),
  tenant_id: z.string(),
  deployment_id: z.string(),
  branch: z.string(),
  integration_id: z.string().optional(),
  /** The commit that a push or a look came to, and the deployment's latest revision at that time. */
  considered: z.object({ commit: z.string(), number: z.int() }).optional(),
});
export type Watch = z.infer<typeof watch>;

/** A repository whose heads are asked again and again, with one token or none, while anybody watches it. */
export const watchedHead = z.object({
  v: z.literal(1),
  entity: z.literal('watched_head'),
  tenant_id: z.string(),
  /** One of its addresses. */
  repo_url: z.string(),
  integration_id: z.string().optional(),
  /** How often in a row it could not be asked. */
  failures: z.int(),
  /** Epoch milliseconds. */
  due_at: z.number(),
});
export type WatchedHead = z.infer<typeof watchedHead>;

/** A little less than the time between two looks, so that each look finds what the one before put off. */
const NEXT_LOOK_MILLISECONDS = 4 * 60_000;
const NEXT_LOOK_MILLISECONDS_MAX = 60 * 60_000;

type Watching = { name: string; branch: string; repoUrl: string; integrationId: string | undefined };

/** What a deployment watches; undefined: nothing. */
export function watchedBy(deployment: Deployment | undefined): Watching | undefined {
  if (deployment === undefined || deployment.status === 'AWAITING_DELETE') return undefined;
  const { config, revision_source: source, revision_config: revision } = deployment;
  if (config.build_on_push !== true || !sourceKinds[source].isWatched) return undefined;
  if (config.repo_url === undefined) return undefined;
  const branch = branchOf(revision.repo_ref);
  const name = repositoryName(config.repo_url);
  if (branch === undefined || name === undefined) return undefined;
  return { name, branch, repoUrl: config.repo_url, integrationId: config.integration_id };
}

/**
 * Makes the rows of what a deployment watches follow a change of it, in the change's own transaction.
 * `before` undefined: it is new. No writes when what it watches stays. `now`: epoch milliseconds.
 */
export function moveWatch(before: Deployment | undefined, after: Deployment, now: number): Write[] {
  const [old, next] = [watchedBy(before), watchedBy(after)];
  if (JSON.stringify(old) === JSON.stringify(next)) return [];
  const { tenant_id: tenantId, id } = after;
  return [
    ...(old !== undefined && old.name !== next?.name
      ? [remove('watch', watchKey(tenantId, old.name, id))]
      : []),
    ...(next === undefined ? [] : startWatch(tenantId, id, next, now)),
  ];
}

/** Stops watching for a deployment that is being deleted. */
export function endWatch(deployment: Deployment): Write[] {
  const watching = watchedBy(deployment);
  return watching === undefined
    ? []
    : [remove('watch', watchKey(deployment.tenant_id, watching.name, deployment.id))];
}

function startWatch(tenantId: string, deploymentId: string, watching: Watching, now: number): Write[] {
  const { name, branch, repoUrl, integrationId } = watching;
  const token = integrationId === undefined ? {} : { integration_id: integrationId };
  const row: Watch = {
    v: 1,
    entity: 'push_watch',
    tenant_id: tenantId,
    deployment_id: deploymentId,
    branch,
    ...token,
  };
  const head: WatchedHead = {
    v: 1,
    entity: 'watched_head',
    tenant_id: tenantId,
    repo_url: repoUrl,
    ...token,
    failures: 0,
    due_at: now + NEXT_LOOK_MILLISECONDS,
  };
  return [
    put('started_watch', { ...watchKey(tenantId, name, deploymentId), ...row }),
    put('watched_head', { ...headKey(tenantId, name, integrationId), ...head, due_pk: HEADS_DUE }),
  ];
}

/** Where all that watch a repository are. `name`: as `repositoryName` gives it. */
export const placeOf = (tenantId: string, name: string): string => watchKey(tenantId, name, '').pk;

/** What a deployment watches in a repository. `name`: as `repositoryName` gives it. */
export const findWatch = (
  table: Table,
  tenantId: string,
  name: string,
  deploymentId: string,
): Promise<Watch | undefined> => find(table, watchKey(tenantId, name, deploymentId), watch);

/** All that watch a repository in a tenant. `name`: as `repositoryName` gives it. */
export const watchesOf = (table: Table, tenantId: string, name: string): AsyncGenerator<Watch> =>
  queryAll(table, watch, {
    pk: placeOf(tenantId, name),
    between: startingWith(WATCH_PREFIX),
  });

/**
 * Notes the commit that was considered last. Demands that the deployment still watches the branch, and that
 * nothing else was considered since the row was read.
 */
export function noteConsidered(
  { tenant_id: tenantId, deployment_id: id, branch, considered: before }: Watch,
  name: string,
  considered: NonNullable<Watch['considered']>,
): Write {
  return update(
    'watch',
    watchKey(tenantId, name, id),
    { set: { considered } },
    guard('push: the branch is still watched', equals('branch', branch)),
    guard('push: nothing else was considered', same('considered', before)),
  );
}

export type DueHead = {
  head: WatchedHead;
  key: Key;
  /** All that watch it with the same token. */
  watches: Watch[];
  /** Those that wait for a look, by what a delivery told of. */
  awaited: AwaitedPush[];
};

/**
 * The repositories whose heads are to be asked by `until` (epoch milliseconds), the longest overdue first.
 * What could not be looked at is not taken before its time, which is not later than `now`.
 */
export async function* dueHeads(
  table: Table,
  { until, now }: { until: number; now: number },
): AsyncGenerator<DueHead> {
  // Whatever was looked at is due again later, and would come again.
  for (const { pk, sk } of await collected(dueItems(table, HEADS_DUE, until))) {
    const due = await findHead(table, { pk, sk });
    if (due !== undefined && (due.head.failures === 0 || due.head.due_at <= now)) yield due;
  }
}

/** A repository by the key of its head, with all that watch it. */
export async function findHead(table: Table, { pk, sk }: Key): Promise<DueHead | undefined> {
  const token = sk.slice(HEAD_PREFIX.length);
  const found: DueHead['watches'] = [];
  const awaited: DueHead['awaited'] = [];
  let head: WatchedHead | undefined;
  for await (const row of queryAll(table, z.union([watch, watchedHead, awaitedPush]), { pk })) {
    if ((row.integration_id ?? '-') !== token) continue;
    if (row.entity === 'push_watch') found.push(row);
    else if (row.entity === 'awaited_push') awaited.push(row);
    else head = row;
  }
  return head && { head, key: { pk, sk }, watches: found, awaited };
}

/** What a deployment waits for a look for, oldest first. `pk`: where the repository's watches are. */
export const awaitedBy = (table: Table, pk: string, deploymentId: string): Promise<AwaitedPush[]> =>
  collected(queryAll(table, awaitedPush, { pk, between: startingWith(awaitedPrefix(deploymentId)) }));

/** Makes the head of what is watched due at once. `name`: of the repository, as `repositoryName` gives it. */
export function lookNow(
  name: string,
  { tenant_id, integration_id }: Watch,
  now: number,
): { key: Key; write: Write } {
  const key = headKey(tenant_id, name, integration_id);
  return { key, write: update('watched_head', key, { set: { due_at: now } }, present('pk')) };
}

const asRead = ({ due_at: dueAt }: WatchedHead) => equals('due_at', dueAt);

/** Forgets a repository that nobody watches any more. Demands that nobody has begun to since it was read. */
export const forgetHead = (key: Key, head: WatchedHead): Write => remove('watched_head', key, asRead(head));

/**
 * Puts the next look off: by some minutes, and ever longer with each failure. `write` demands that nobody
 * else has done so, or asked for a look, since the head was read; `head` is what it leaves.
 */
export function lookAgain(
  key: Key,
  head: WatchedHead,
  { failures, now }: { failures: number; now: number },
): { write: Write; head: WatchedHead } {
  const pause = Math.min(NEXT_LOOK_MILLISECONDS * 2 ** Math.min(failures, 8), NEXT_LOOK_MILLISECONDS_MAX);
  const next = { failures, due_at: now + pause };
  return { write: update('watched_head', key, { set: next }, asRead(head)), head: { ...head, ...next } };
}
