import { SourceError } from '../../adapters/git.ts';
import { ConditionsFailed, type Write } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { type DueHead, dueHeads, forgetHead, lookAgain } from '../../store/pushes/watches.ts';
import { credentialsOf } from '../integrations/sealed.ts';
import { type ConsiderDeps, considerHead } from './consider.ts';

/** How many hosts are asked side by side: the calls wait on them, not on us. */
const SIDE_BY_SIDE = 10;
/** Then no further repository is begun with: the next look begins with what is overdue longest. */
const LOOK_MILLISECONDS = 150_000;

export type Looked = {
  /** Repositories that were asked. */
  looked: number;
  /** Revisions that were made of what no delivery has told of. */
  made: number;
  /** Repositories that could not be asked. */
  failed: number;
};

/**
 * Asks the heads of what deployments build pushes to, each repository once with each token, and makes a
 * revision of whatever no delivery has told of. A repository that cannot be asked is asked again, ever more
 * seldom. `all` also takes what is due later.
 */
export async function lookAtHeads(
  deps: ConsiderDeps,
  { all }: { all: boolean },
  onError: (error: unknown, deploymentId: string) => void,
): Promise<Looked> {
  const startedAt = deps.clock.now();
  const until = all ? Number.MAX_SAFE_INTEGER : startedAt;
  const queue = dueHeads(deps.table, until);
  const result: Looked = { looked: 0, made: 0, failed: 0 };
  const worker = async (): Promise<void> => {
    while (deps.clock.now() < startedAt + LOOK_MILLISECONDS) {
      const next = await queue.next();
      if (next.done === true) return;
      const { value: due } = next;
      await lookAtOne(deps, due, result, onError).catch((error: unknown) => {
        result.failed += 1;
        onError(error, due.watches[0]?.deployment_id ?? due.head.repo_url);
      });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return result;
}

async function lookAtOne(
  deps: ConsiderDeps,
  due: DueHead,
  result: Looked,
  onError: (error: unknown, deploymentId: string) => void,
): Promise<void> {
  const { head, key, watches } = due;
  if (watches.length === 0) return unlessLost(deps, forgetHead(key, head));
  result.looked += 1;
  const heads = await headsOf(deps, due);
  if (heads === 'unreadable') result.failed += 1;
  else {
    for (const watch of watches) {
      const commit = heads.get(watch.branch);
      if (commit === undefined || commit === watch.considered?.commit) continue;
      const owner = { tenantId: watch.tenant_id, deploymentId: watch.deployment_id };
      const asking = { cause: { kind: 'head' as const }, beside: () => [] };
      await considerHead(deps, owner, asking).then(
        (considered) => {
          if ('revisionId' in considered) result.made += 1;
        },
        (error: unknown) => onError(error, watch.deployment_id),
      );
    }
  }
  const failed = heads === 'unreadable';
  await unlessLost(deps, lookAgain(key, head, { failed, now: deps.clock.now() }));
}

/** A repository that is gone, or a token that is not taken any more, is its owner's to see to. */
async function headsOf(
  deps: ConsiderDeps,
  { head, watches }: DueHead,
): Promise<ReadonlyMap<string, string> | 'unreadable'> {
  try {
    const credentials = await credentialsOf(deps, head.tenant_id, head.integration_id);
    const branches = [...new Set(watches.map(({ branch }) => branch))];
    // Behind ssh, where nobody but the build can ask, deliveries alone tell.
    return (await deps.git.heads(head.repo_url, branches, credentials)) ?? new Map();
  } catch (error) {
    if (error instanceof SourceError) return 'unreadable';
    throw error;
  }
}

async function unlessLost({ table }: ConsiderDeps, change: Write): Promise<void> {
  await write(table, change).catch((error: unknown) => {
    if (!(error instanceof ConditionsFailed)) throw error;
  });
}
