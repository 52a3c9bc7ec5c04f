import { openBeside } from './table.ts';

/** Deleted within a few milliseconds, so that neither this process nor the database's writers wait. */
const ROWS_MAX = 1_000;

/**
 * Deletes up to 1,000 stream records of a table that come before `sequenceNumber`, and gives their number.
 * dynoxide never does. That record itself stays: were the newest one deleted, numbering would start at 1
 * again and readers would go blind.
 */
export function trimStream(file: string, tableName: string, sequenceNumber: string): number {
  const database = openBeside(file);
  try {
    const trim = database.prepare(`
      DELETE FROM _stream_records WHERE id IN (
        SELECT id FROM _stream_records
        WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER) LIMIT ${ROWS_MAX}
      )`);
    return Number(trim.run(tableName, sequenceNumber).changes);
  } finally {
    database.close();
  }
}
