import type { Table } from '../../lib/store/table.ts';
import { type Bindings, conditionOf, type Item } from './table/expressions.ts';

type Keeps = NonNullable<Table['keeps']>;
type Parts = Parameters<Keeps>[0];

const NAMELESS = '(nameless)';

/** The guards that a run comes by: which it leaves out, and which have refused a write. */
export class Guards {
  readonly seen = new Set<string>();
  /** Writes with a condition that has no name. */
  readonly nameless = new Set<string>();
  /**
   * For each write that was refused the guards that refused it. What leaves out others alone, or not all of
   * these, changes nothing of the run.
   */
  readonly refusals = new Map<string, string[]>();
  readonly #drops: (guard: string) => boolean;
  /** The conditions of the run by their texts. Two writes may say the same under other names. */
  readonly #parts = new Map<string, Map<string, Parts>>();

  constructor(drops: (guard: string) => boolean = () => false) {
    this.#drops = drops;
  }

  readonly keeps: Keeps = (parts, write) => {
    for (const { guard } of parts)
      if (guard === undefined) this.nameless.add(write);
      else this.seen.add(guard);
    const kept = parts.filter(({ guard }) => guard === undefined || !this.#drops(guard));
    const text = kept.map(({ expression }) => expression).join(' AND ');
    const known = this.#parts.get(text) ?? new Map<string, Parts>();
    this.#parts.set(text, known.set(namesOf(kept).join(), kept));
    return kept;
  };

  noteRefusal(text: string, item: Item | undefined, at: Bindings): void {
    for (const parts of this.#parts.get(text)?.values() ?? []) {
      const failed = parts.filter(({ expression }) => !conditionOf(expression)(item, at));
      const names = [...new Set(namesOf(failed))].sort();
      this.refusals.set(names.join(), names);
    }
  }
}

const namesOf = (parts: Parts): string[] => parts.map(({ guard }) => guard ?? NAMELESS);
