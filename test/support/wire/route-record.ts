import { createTableLogs } from '../../../lib/adapters/aws/logs.ts';
import type { Access } from '../../../lib/contract/access.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { limitedTable } from '../table/limited-table.ts';
import { AuditRecord } from '../world/audit-record.ts';

/**
 * Knows beside the audit what each operation has done to the table. Each change under an Idempotency-Key is
 * made and then not answered, as if the process had died between the two.
 */
export class RouteRecord extends AuditRecord {
  override readonly losesAnswers = true;
  readonly #used = new Map<string, Set<Access>>();

  /** What the endpoint behind `row` works with. */
  override depsOf({ operation, access }: RouteRow, deps: Deps): Deps {
    const used = this.#used.get(operation) ?? new Set<Access>();
    this.#used.set(operation, used);
    const table = limitedTable(deps.table, access, used, (writes) => {
      // An answer that is kept alone, after a change, would be missing if the process died in between: it is
      // not lost here.
      if (writes.length > 1 && writes.some(({ Put }) => Put?.Item?.entity === 'answer'))
        throw new Error('died after the change was made');
    });
    return { ...deps, table, logs: createTableLogs(table, deps.clock) };
  }

  /** What an operation has done to the table in all of its requests. */
  usedBy(operation: string): Set<Access> {
    return this.#used.get(operation) ?? new Set();
  }
}
