import type { Ground } from '../ground.ts';
import type { Executions } from '../services/executions.ts';
import type { Change, MemoryTable } from '../table/memory-table.ts';
import type { Invariant, Revision } from './invariant.ts';

/**
 * An execution that was given up for a later attempt writes nothing any more: the token that is kept is one
 * that somebody waits with.
 */
export class Attempts implements Invariant {
  readonly #ground: Ground;
  readonly #table: MemoryTable;
  readonly #executions: Executions;

  constructor(ground: Ground, table: MemoryTable, executions: Executions) {
    this.#ground = ground;
    this.#table = table;
    this.#executions = executions;
  }

  onChange({ pk, sk, after }: Change): void {
    if (after?.entity !== 'token') return;
    const revision = this.#table.get(pk, sk.replace('K#', 'R#')) as Revision | undefined;
    const attempt = this.#executions.attemptOf(String(after.token));
    if (revision !== undefined && revision.attempt !== attempt)
      this.#ground.violate(
        `attempt ${attempt} of revision ${revision.number} keeps a token, and ${String(revision.attempt)} is at work`,
      );
  }
}
