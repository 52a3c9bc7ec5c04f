import type { Ground } from '../ground.ts';
import type { Plan } from '../plan.ts';
import type { BuildService } from '../services/builds.ts';
import type { Executions } from '../services/executions.ts';
import type { Change, MemoryTable } from '../table/memory-table.ts';
import { Answers } from './answers.ts';
import { Attempts } from './attempts.ts';
import { Causes } from './causes.ts';
import { deploymentKeyOf, type Invariant, stored } from './invariant.ts';
import { Leftovers } from './leftovers.ts';
import { Lifecycle } from './lifecycle.ts';
import { Promptness } from './promptness.ts';
import { Serialization } from './serialization.ts';

type Services = { builds: BuildService; executions: Executions };

/** All that must hold, asked after every step. */
export class Invariants {
  readonly #table: MemoryTable;
  readonly #all: Invariant[];
  /** Deployments of which something has changed in this step. */
  readonly #changed = new Set<string>();

  constructor(
    ground: Ground,
    table: MemoryTable,
    { builds, executions }: Services,
    { patienceSeconds }: Plan,
  ) {
    this.#table = table;
    this.#all = [
      new Lifecycle(ground),
      new Serialization(ground, table, builds),
      new Answers(ground, table),
      new Causes(ground, patienceSeconds),
      new Leftovers(ground, table, builds),
      new Promptness(ground, table),
      new Attempts(ground, table, executions),
    ];
  }

  onCommit(changes: Change[]): void {
    for (const change of changes) {
      for (const invariant of this.#all) invariant.onChange?.(change);
      const pk = deploymentKeyOf(change);
      if (pk !== undefined) this.#changed.add(pk);
    }
  }

  onStep(): void {
    for (const pk of this.#changed) {
      const deployment = stored(this.#table, pk);
      if (deployment === undefined) continue;
      for (const invariant of this.#all) invariant.onDeployment?.(deployment);
    }
    this.#changed.clear();
  }

  onMinute(): void {
    for (const invariant of this.#all) invariant.onMinute?.();
  }

  atRest(): void {
    for (const invariant of this.#all) invariant.atRest?.();
  }
}
