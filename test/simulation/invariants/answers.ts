import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { isTerminal } from '../../../lib/domain/transitions.ts';
import type { Ground } from '../ground.ts';
import type { Change, MemoryTable } from '../table/memory-table.ts';
import type { Invariant, Revision } from './invariant.ts';

/** What was answered holds, however the revision goes on. */
export class Answers implements Invariant {
  readonly #ground: Ground;
  readonly #table: MemoryTable;

  constructor(ground: Ground, table: MemoryTable) {
    this.#ground = ground;
    this.#table = table;
  }

  onChange({ pk, before, after }: Change): void {
    if (after?.entity === 'name' && before !== undefined && before.deployment_id !== after.deployment_id)
      this.#ground.violate(
        `the name ${pk} of ${String(before.deployment_id)} is given to ${String(after.deployment_id)}`,
      );
    if (after?.entity !== 'revision' || before?.status === after.status) return;
    const revision = after as Revision;
    if (isTerminal(revision.status as RevisionStatus)) this.#compare(revision);
  }

  /** Of revisions that ended before their answer was heard. */
  atRest(): void {
    for (const partition of this.#table.partitions.values())
      for (const item of partition.values()) if (item.entity === 'revision') this.#compare(item as Revision);
    this.#areThere();
  }

  #compare({ id, number, deployment_id: of, status, history }: Revision): void {
    const { facts, violate } = this.#ground;
    const name = `revision ${number} of ${of}`;
    if (facts.interrupted.has(id) && status !== 'INTERRUPTED')
      violate(`${name} was to be interrupted, said a 200, and is ${status}`);
    if (facts.acceptedSuccess.has(id) && status !== 'DEPLOYED')
      violate(`the success of ${name} was accepted, and it is ${status}`);
    // A listener that went silent after it was told so starts anew, under another lease.
    const wasLost = history.some((step) => step.status === 'UNKNOWN');
    if (facts.switched.has(id) && !wasLost && status === 'INTERRUPTED')
      violate(`${name} may move traffic, said the answer, and is INTERRUPTED`);
  }

  /** An acknowledged write is stored, unless its deployment was deleted. */
  #areThere(): void {
    const { facts, violate } = this.#ground;
    const ids = new Set<unknown>();
    for (const partition of this.#table.partitions.values())
      for (const item of partition.values()) if (item.entity === 'revision') ids.add(item.id);
    for (const [revisionId, deploymentId] of facts.acknowledged)
      if (!ids.has(revisionId) && !facts.mayBeDeleted.has(deploymentId))
        violate(`revision ${revisionId} of ${deploymentId} was acknowledged and is not there`);
  }
}
