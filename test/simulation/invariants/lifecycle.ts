import { isDeepStrictEqual } from 'node:util';
import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { isTerminal, transitions } from '../../../lib/domain/transitions.ts';
import type { Ground } from '../ground.ts';
import type { Item } from '../table/expressions.ts';
import type { Change } from '../table/memory-table.ts';
import type { Invariant, Revision } from './invariant.ts';

/** What may change of a revision that has ended: when it is looked at again. */
const LOOKS = new Set(['due_pk', 'due_at', 'build_absent_since']);

const changed = (before: Item, after: Item): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );

/** One revision alone: it moves by the table, in its order, and what has ended stays as it is. */
export class Lifecycle implements Invariant {
  readonly #ground: Ground;
  /** The number of the last revision that left the queue to be processed, by deployment. */
  readonly #processed = new Map<string, number>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  onChange({ pk, before, after }: Change): void {
    if (after?.entity !== 'revision' || before === undefined) return;
    this.#compare(pk, before as Revision, after as Revision);
  }

  #compare(pk: string, before: Revision, after: Revision): void {
    const { say } = this.#ground;
    if (isEnded(before)) this.#mustStay(before, after);
    this.#keepsItsOutcome(before, after);
    if (after.switching === true && after.interrupt_requested_at !== undefined && !isEnded(after))
      this.#violate(`${named(after)} may move traffic, and is to be interrupted`);
    if (before.status === after.status) return;
    say(() => `${named(after)}: ${before.status} -> ${after.status} ${after.status_message ?? ''}`);
    this.#moves(before, after);
    this.#obeysAnInterrupt(before, after);
    if (before.status === 'QUEUED' && !isEnded(after)) this.#isNext(pk, after);
  }

  #mustStay(before: Revision, after: Revision): void {
    const names = changed(before, after).filter((name) => !LOOKS.has(name));
    if (names.length > 0)
      this.#violate(`${named(before)} has ended (${before.status}) and changes: ${names.join(', ')}`);
  }

  #moves(before: Revision, after: Revision): void {
    let from = before.status;
    for (const { status } of after.history.slice(before.history.length)) {
      if (!transitions[from as RevisionStatus].includes(status as RevisionStatus))
        this.#violate(`${named(after)}: there is no way from ${from} to ${status}`);
      from = status;
    }
    if (from !== after.status)
      this.#violate(`${named(after)}: the history ends with ${from}, not ${after.status}`);
  }

  /** Once it is asked for, nothing begins any more. */
  #obeysAnInterrupt(before: Revision, after: Revision): void {
    const isDecided = before.switching === true || before.outcome?.stage === 'deploy';
    if (before.interrupt_requested_at === undefined || isDecided || isEnded(after)) return;
    this.#violate(`${named(after)} is to be interrupted and becomes ${after.status}`);
  }

  #isNext(pk: string, after: Revision): void {
    const last = this.#processed.get(pk) ?? 0;
    if (after.number <= last) this.#violate(`${named(after)} is processed after number ${last}`);
    this.#processed.set(pk, after.number);
  }

  #keepsItsOutcome(before: Revision, after: Revision): void {
    if (before.outcome === undefined || isDeepStrictEqual(before.outcome, after.outcome)) return;
    const goesOn = before.outcome.stage === 'build' && before.outcome.result === 'succeeded';
    if (!goesOn) this.#violate(`${named(after)}: the outcome that was recorded changes`);
  }

  #violate(what: string): void {
    this.#ground.violate(what);
  }
}

const isEnded = ({ status }: Revision): boolean => isTerminal(status as RevisionStatus);
const named = ({ number, deployment_id: id }: Revision): string => `revision ${number} of ${id}`;
