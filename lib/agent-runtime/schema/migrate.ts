import type { Database } from '../tables/database.ts';
import { migrations } from './migrations.ts';

/** Of all locks that others take in this database; ours alone. */
const MIGRATION_LOCK = 7_255_904_611;

/**
 * Brings the tables to what this server knows, before it takes traffic. Servers that start at once wait for
 * one another; what a newer server has added stays.
 */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    await query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await query('create schema if not exists rt');
    await query(`create table if not exists rt.migrations (
      version int primary key, name text not null, applied_at timestamptz not null default clock_timestamp())`);
    const [newest] = await query<{ version: number }>(
      'select coalesce(max(version), 0) as version from rt.migrations',
    );
    const applied = newest?.version ?? 0;
    for (const [index, { name, sql }] of migrations.entries()) {
      if (index < applied) continue;
      await query(sql);
      await query('insert into rt.migrations (version, name) values ($1, $2)', [index + 1, name]);
    }
  });
}
