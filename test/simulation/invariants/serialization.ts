import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { isTerminal } from '../../../lib/domain/transitions.ts';
import type { Ground } from '../ground.ts';
import { type Build, type BuildService, isAlive } from '../services/builds.ts';
import type { Item } from '../table/expressions.ts';
import type { Change, MemoryTable } from '../table/memory-table.ts';
import { type Invariant, openTasksOf, type Revision, type StoredDeployment, type Task } from './invariant.ts';

const isPushed = ({ cause }: Revision): boolean => cause?.kind === 'push';

type Head = { number: number; branch: string | undefined; commit: string };

const headOf = ({ number, revision_config: { repo_ref, repo_commit_sha } }: Revision): Head => ({
  number,
  branch: repo_ref,
  commit: repo_commit_sha ?? '',
});

/**
 * A deployment at each moment: one revision in progress, which has the slot; one task; epochs that rise; work
 * that is due.
 */
export class Serialization implements Invariant {
  readonly #ground: Ground;
  readonly #table: MemoryTable;
  readonly #builds: BuildService;

  constructor(ground: Ground, table: MemoryTable, builds: BuildService) {
    this.#ground = ground;
    this.#table = table;
    this.#builds = builds;
  }

  onChange(change: Change): void {
    this.#noteLease(change);
    const { before, after } = change;
    if (before === undefined || after === undefined) {
      if (after?.entity === 'done_task') this.#endsUnderItsLease(after);
      return;
    }
    if (after.entity === 'deployment' || after.entity === 'placement') {
      if (Number(after.epoch) < Number(before.epoch))
        this.#violate(`the epoch of the ${after.entity} ${String(after.id ?? after.deployment_id)} falls`);
    }
    if (after.entity === 'task') this.#offersAnew(before as Task, after as Task);
  }

  onDeployment(deployment: StoredDeployment): void {
    this.#oneInProgress(deployment);
    this.#onePushWaits(deployment);
    this.#oneTask(deployment);
    this.#isDue(deployment);
  }

  /** A newer push takes the place of one that waits, and of nothing else; it never has an earlier commit. */
  #onePushWaits({ item, revisions }: StoredDeployment): void {
    const pushed = revisions.filter(isPushed).toSorted((a, b) => a.number - b.number);
    const waiting = pushed.filter(({ number }) => item.queued.includes(number));
    if (waiting.length > 1) this.#violate(`two pushes wait of ${item.id}: ${waiting.map(words).join(', ')}`);
    const skipped = revisions.find((one) => one.status === 'SKIPPED' && !isPushed(one));
    if (skipped !== undefined) this.#violate(`${words(skipped)} of ${item.id} is no push and was skipped`);
    const heads = pushed.map(headOf);
    // Whoever changes the branch, be it back, gets its head, even where that is the same commit: all branches
    // have the same here.
    const wasLeft = (from: number, to: number, branch: string | undefined) =>
      revisions.some((one) => one.number > from && one.number < to && headOf(one).branch !== branch);
    const isEarlier = (head: Head, before: Head | undefined): boolean =>
      before !== undefined &&
      (head.branch === before.branch && !wasLeft(before.number, head.number, head.branch)
        ? head.commit <= before.commit
        : head.commit < before.commit);
    if (heads.some((head, at) => isEarlier(head, heads[at - 1])))
      this.#violate(
        `a later push of ${item.id} has an earlier commit: ${heads.map(({ commit }) => commit).join(', ')}`,
      );
  }

  #oneInProgress({ item, revisions }: StoredDeployment): void {
    const open = revisions.filter(
      ({ status }) => status !== 'QUEUED' && !isTerminal(status as RevisionStatus),
    );
    const slot = item.slot as { revision_id: string } | undefined;
    if (open.length > 1) this.#violate(`two at once of ${item.id}: ${open.map(words).join(', ')}`);
    if (open[0] !== undefined && slot?.revision_id !== open[0].id)
      this.#violate(`${words(open[0])} of ${item.id} is in progress without the slot`);
    const queued = revisions.filter(({ status, id }) => status === 'QUEUED' && slot?.revision_id !== id);
    const lost = queued.filter(({ number }) => !item.queued.includes(number));
    if (lost[0] !== undefined) this.#violate(`${words(lost[0])} of ${item.id} is in no queue`);
    const owned = [...this.#builds.all.values()].filter(
      (build) => build.ref.deploymentId === item.id && isAlive(build) && this.#isKnown(build, revisions),
    );
    if (owned.length > 1)
      this.#violate(`two builds at once of ${item.id}: ${owned.map(({ id }) => id).join(', ')}`);
  }

  /** The engine has written down that it is this revision's. */
  #isKnown({ id, ref }: Build, revisions: Revision[]): boolean {
    return revisions.some((revision) => revision.id === ref.revisionId && revision.build_id === id);
  }

  #oneTask(deployment: StoredDeployment): void {
    const { item } = deployment;
    const open = openTasksOf(this.#table, deployment);
    if (open.length > 1) this.#violate(`two tasks are open of ${item.id}`);
    if (open[0]?.id !== item.task_id)
      this.#violate(`task ${String(item.task_id)} is named of ${item.id}, ${open[0]?.id} is open`);
    if (open[0] !== undefined && open[0].epoch > Number(item.epoch))
      this.#violate(
        `the task of ${item.id} has epoch ${open[0].epoch}, the deployment ${String(item.epoch)}`,
      );
  }

  #isDue({ item, revisions }: StoredDeployment): void {
    const hasWork =
      item.queued.length > 0 ||
      item.slot !== undefined ||
      item.task_id !== undefined ||
      item.status === 'AWAITING_DELETE';
    const isDue = [item, ...revisions].some(({ due_pk: partition }) => partition !== undefined);
    if (hasWork && !isDue) this.#violate(`nothing of ${item.id} is due, and there is work: ${work(item)}`);
  }

  #offersAnew(before: Task, after: Task): void {
    if (before.state === 'claimed' && after.state === 'offered' && after.epoch <= before.epoch)
      this.#violate(`task ${after.id} is offered again under epoch ${after.epoch}`);
    if (before.state === 'cancelled' && after.state !== 'cancelled')
      this.#violate(`task ${after.id} was cancelled and is ${after.state}`);
  }

  /** Whoever reported the end held the newest lease. */
  #endsUnderItsLease(done: Item): void {
    const last = this.#leases.get(String(done.id));
    if (done.accepted === true && last !== undefined && done.lease_id !== last)
      this.#violate(`task ${String(done.id)} is ended under a lease that is over`);
  }

  readonly #leases = new Map<string, string>();

  #noteLease({ after }: Change): void {
    if (after?.entity === 'task' && after.lease_id !== undefined)
      this.#leases.set(String(after.id), String(after.lease_id));
  }

  #violate(what: string): void {
    this.#ground.violate(what);
  }
}

const words = ({ number, status }: Revision): string => `number ${number} (${status})`;
const work = ({ queued, slot, task_id: task, status }: StoredDeployment['item']): string =>
  JSON.stringify({ queued, slot, task, status });
