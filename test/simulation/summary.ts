import type { Result } from './simulation.ts';

const ordered = (counts: Map<string, number>): string =>
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** Adds runs up, for people. */
export class Summary {
  readonly #startedAt = performance.now();
  #seeds = 0;
  #events = 0;
  #operations = 0;
  #virtualSeconds = 0;
  readonly #violations: string[] = [];
  readonly #endings = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  add({ seed, violation, events, operations, seconds, endings, counts }: Result): void {
    this.#seeds += 1;
    this.#events += events;
    this.#operations += operations;
    this.#virtualSeconds += seconds;
    if (violation !== undefined) this.#violations.push(`seed ${seed}: ${violation}`);
    for (const [status, count] of Object.entries(endings))
      this.#endings.set(status, (this.#endings.get(status) ?? 0) + count);
    for (const [what, count] of Object.entries(counts))
      this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  get isClean(): boolean {
    return this.#violations.length === 0;
  }

  text(): string {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    return [
      `${this.#seeds} seeds, ${this.#events} events, ${this.#operations} operations of the table, ${Math.round(this.#virtualSeconds / 3600)} h of virtual time in ${seconds.toFixed(1)} s`,
      `revisions ended: ${ordered(this.#endings)}`,
      `what went wrong: ${ordered(this.#counts)}`,
      `${this.#violations.length} violations`,
      ...this.#violations,
    ].join('\n');
  }
}
