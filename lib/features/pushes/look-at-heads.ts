import { SourceError } from '../../adapters/git.ts';
import type { HeadPlace } from '../../adapters/head-waker.ts';
import { credentialsOf } from '../../core/git-credentials.ts';
import { ConditionsFailed, type Write } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { AWAITED_AT_ONCE } from './awaiting.ts';
import { type ConsiderDeps, considerHead } from './consider.ts';
import { checkHeadAgain, type DueHead, dueHeads, findHead, forgetHead } from './store.ts';

/** How many hosts are asked side by side: the calls wait on them, not on us. */
const SIDE_BY_SIDE = 10;
/** Of one repository; each takes a request or two of git. */
const DEPLOYMENTS_SIDE_BY_SIDE = 5;
/** Then no further repository is begun with: the next look begins with what is overdue longest. */
const LOOK_MILLISECONDS = 150_000;
/** Clocks of machines differ by less, and by the time of a next look much more. */
const CLOCKS_DIFFER_MILLISECONDS = 10_000;

export type Looked = {
  /** Repositories that were asked. */
  looked: number;
  /** Revisions that were made of what was pushed. */
  made: number;
  /** Repositories that are asked again although nothing is pushed to them. */
  failed: number;
};

type OnError = (error: unknown, deploymentId: string) => void;

/**
 * Asks the heads of what deployments build pushes to, each repository once with each token, and makes a
 * revision of whatever was pushed. A repository that cannot be asked is asked again, ever more seldom. `all`
 * also takes what is due later, where the last look did not fail.
 */
export async function lookAtHeads(
  deps: ConsiderDeps,
  { all }: { all: boolean },
  onError: OnError,
): Promise<Looked> {
  const now = deps.clock.now();
  const queue = dueHeads(deps.table, { until: all ? Number.MAX_SAFE_INTEGER : now, now });
  const result: Looked = { looked: 0, made: 0, failed: 0 };
  await sideBySide(SIDE_BY_SIDE, async () => {
    if (deps.clock.now() >= now + LOOK_MILLISECONDS) return false;
    const next = await queue.next();
    if (next.done === true) return false;
    // One that the table fails holds up no other.
    await lookAtOne(deps, next.value, result, onError).catch((error: unknown) => {
      result.failed += 1;
      onError(error, next.value.head.repo_url);
    });
    return true;
  });
  return result;
}

/** Asks the head of one repository now, unless somebody has done so since it was made due. */
export async function lookAtHead(deps: ConsiderDeps, key: HeadPlace, onError: OnError): Promise<Looked> {
  const result: Looked = { looked: 0, made: 0, failed: 0 };
  const found = await findHead(deps.table, key);
  if (found !== undefined && found.head.due_at <= deps.clock.now() + CLOCKS_DIFFER_MILLISECONDS)
    await lookAtOne(deps, found, result, onError);
  return result;
}

async function sideBySide(count: number, work: () => Promise<boolean>): Promise<void> {
  const worker = async (): Promise<void> => {
    while (await work());
  };
  await Promise.all(Array.from({ length: count }, worker));
}

/**
 * The next look is written before this one: one that hangs, or ends with the program, holds up no other and
 * is not begun again at once. From where users' text is worked on it counts as failed until it has ended.
 */
async function lookAtOne(deps: ConsiderDeps, due: DueHead, result: Looked, onError: OnError): Promise<void> {
  const { key, watches, awaited } = due;
  if (watches.length + awaited.length === 0) {
    await isOurs(deps, forgetHead(key, due.head));
    return;
  }
  let { head } = due;
  const putOff = async (failures: number): Promise<boolean> => {
    const next = checkHeadAgain(key, head, { failures, now: deps.clock.now() });
    head = next.head;
    return isOurs(deps, next.write);
  };
  const failures = head.failures + 1;
  if (!(await putOff(head.failures))) return;
  result.looked += 1;
  const asked = await changedIn(deps, due, onError);
  const changed = [...new Set([...awaited.map(({ deployment_id: id }) => id), ...asked.changed])];
  // Whoever asks for a look meanwhile has it, soon: this one says no more about the next.
  const goesOn = changed.length === 0 || (await putOff(failures));
  const left = await considerAll(deps, due, changed, result, onError);
  if (left.isOpen || asked.failed) result.failed += 1;
  if (!goesOn) return;
  // A limit, or one deployment's own trouble, makes the next look no later: others watch the same repository.
  const after = left.isUnread || asked.failed ? failures : 0;
  if (after !== head.failures) await putOff(after);
}

/** Whose branches have moved, of those that no delivery has told of. */
async function changedIn(
  deps: ConsiderDeps,
  { head, watches, awaited }: DueHead,
  onError: OnError,
): Promise<{ changed: string[]; failed: boolean }> {
  const told = new Set(awaited.map(({ deployment_id: id }) => id));
  const others = watches.filter(({ deployment_id: id }) => !told.has(id));
  if (others.length === 0) return { changed: [], failed: false };
  try {
    const credentials = await credentialsOf(deps, head.tenant_id, head.integration_id);
    const branches = [...new Set(others.map(({ branch }) => branch))];
    // Behind ssh, where nobody but the build can ask, deliveries alone tell.
    const heads = (await deps.git.heads(head.repo_url, branches, credentials)) ?? new Map<string, string>();
    const changed = others.filter(({ branch, considered }) => {
      const commit = heads.get(branch);
      return commit !== undefined && commit !== considered?.commit;
    });
    return { changed: changed.map(({ deployment_id: id }) => id), failed: false };
  } catch (error) {
    // A repository that is gone, or a token that is not taken any more, is its owner's to see to.
    if (!(error instanceof SourceError)) onError(error, others[0]?.deployment_id ?? head.repo_url);
    return { changed: [], failed: true };
  }
}

/** `isOpen`: something is left to do; `isUnread`: because the host could not be asked. */
async function considerAll(
  deps: ConsiderDeps,
  { key, head, awaited }: DueHead,
  deploymentIds: string[],
  result: Looked,
  onError: OnError,
): Promise<{ isOpen: boolean; isUnread: boolean }> {
  const queue = [...deploymentIds];
  const left = { isOpen: false, isUnread: false };
  await sideBySide(DEPLOYMENTS_SIDE_BY_SIDE, async () => {
    const deploymentId = queue.shift();
    if (deploymentId === undefined) return false;
    const owner = { tenantId: head.tenant_id, deploymentId };
    let open = awaited.filter(({ deployment_id: id }) => id === deploymentId).length;
    do {
      const considered = await considerHead(deps, owner, key.pk).catch((error: unknown) => {
        onError(error, deploymentId);
        return undefined;
      });
      if (considered !== undefined && 'revisionId' in considered) result.made += 1;
      if (considered === undefined || 'again' in considered) {
        left.isOpen = true;
        if (considered?.unread === true) left.isUnread = true;
        return true;
      }
      open -= AWAITED_AT_ONCE;
    } while (open > 0);
    return true;
  });
  return left;
}

/** Makes a write unless somebody else was quicker. */
async function isOurs({ table }: ConsiderDeps, change: Write): Promise<boolean> {
  try {
    await write(table, change);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    return false;
  }
}
