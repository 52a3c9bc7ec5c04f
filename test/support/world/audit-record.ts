import { onTestFinished } from 'vitest';
import { create as createEvents } from '../../../functions/streams/events.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { writtenAuditLog } from '../../../lib/features/audit/take-notes.ts';
import { eventFilters } from '../../../lib/store/stream-filters.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';
import { followTable } from '../table/follow-table.ts';
import { until } from '../until.ts';
import { WireRecord } from '../wire/wire.ts';
import { allItems } from './world.ts';

type Asked = { deps: Deps; operation: string; requestId: string };

/**
 * Knows beside what was asked which requests the audit has to have, and writes it as the embedded runtime
 * does: by the stream, and behind the answer.
 */
export class AuditRecord extends WireRecord {
  /** `operation action` of each that was found in the audit as its row says. */
  readonly audited = new Set<string>();
  readonly #asked: Asked[] = [];

  override async opened(deps: Deps): Promise<void> {
    deps.auditLog = writtenAuditLog(deps, (error) => process.stderr.write(`audit: ${String(error)}\n`));
    deps.keyUses = { note: () => undefined };
    const handler = createEvents(() => deps);
    const consumers = [{ name: 'events', filters: eventFilters, handler }];
    const stream = await followTable(deps.table, await temporaryFolder(), consumers);
    onTestFinished(() => stream.close());
  }

  override done(deps: Deps, operation: string, requestId: string): void {
    super.done(deps, operation, requestId);
    this.#asked.push({ deps, operation, requestId });
  }

  /**
   * Operations asked in this test of which no request has an event that its row names, unless one was found
   * before, and events that no request's row names.
   */
  async #missing(): Promise<string[]> {
    const asked = this.#asked;
    const tables = new Map(asked.map(({ deps }) => [deps.table.name, deps.table]));
    const items = (await Promise.all([...tables.values()].map(allItems))).flat();
    const events = items.filter(
      ({ entity, action }) => entity === 'audit_event' && action !== 'request.refuse',
    );
    const told = new Set(events.map(({ request_id, action }) => `${request_id} ${action}`));
    const due = asked.flatMap(({ operation, requestId }) =>
      auditedActions(operation).map((action) => ({ operation, action, key: `${requestId} ${action}` })),
    );
    for (const { operation, action, key } of due)
      if (told.has(key)) this.audited.add(`${operation} ${action}`);
    const lacking = new Set(
      due.map(({ operation }) => operation).filter((operation) => !this.#isAudited(operation)),
    );
    const expected = new Set(due.map(({ key }) => key));
    const strange = [...told].filter((key) => !expected.has(key) && !key.startsWith('undefined '));
    return [...lacking, ...strange];
  }

  /** Waits until the audit has the requests of the test that ends; fails when it does not come to that. */
  async settle(): Promise<void> {
    let missing: string[] = [];
    const isComplete = async () => {
      missing = await this.#missing();
      return missing.length === 0;
    };
    const what = () => `audit events: ${missing.join(', ')}`;
    await until(isComplete, { what }).finally(() => {
      this.#asked.length = 0;
    });
  }

  #isAudited(operation: string): boolean {
    return auditedActions(operation).some((action) => this.audited.has(`${operation} ${action}`));
  }
}

/** What an operation's row says that the audit has of it. */
export function auditedActions(operation: string): readonly string[] {
  const audit = routes.find((row) => row.operation === operation)?.audit ?? [];
  return 'none' in audit ? [] : audit;
}
