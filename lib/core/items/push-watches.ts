import * as z from 'zod';
import { repositoryName } from '../../domain/repository-name.ts';
import { sourceKinds } from '../../domain/source.ts';
import { put, remove } from '../../store/dynamodb/expressions.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { HEADS_DUE, headKey, watchKey } from '../../store/keys/pushes.ts';
import type { Deployment } from './items.ts';

// What a deployment watches is written in the transactions that change it. The rest of pushes is a feature.

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
export const NEXT_LOOK_MILLISECONDS = 4 * 60_000;

const BRANCH = 'refs/heads/';

/** The branch that pushes to are built; undefined for tags and single commits, which nobody pushes to. */
export function branchOf(repoRef: string | undefined): string | undefined {
  if (repoRef === undefined || /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/i.test(repoRef)) return undefined;
  if (repoRef.startsWith(BRANCH)) return repoRef.slice(BRANCH.length);
  return repoRef.startsWith('refs/') ? undefined : repoRef;
}

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
export const watchesPk = (tenantId: string, name: string): string => watchKey(tenantId, name, '').pk;
