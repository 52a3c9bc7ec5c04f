import { openBeside } from './table.ts';

/**
 * Deletes the stream records of a table that come before `sequenceNumber`, and gives their number. dynoxide never does. That record
 * itself stays: were the newest one deleted, numbering would start at 1 again and readers would go blind.
 */
export function trimStream(file: string, tableName: string, sequenceNumber: string): number {
  const database = openBeside(file);
  try {
    const trim = database.prepare(
      'DELETE FROM _stream_records WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER)',
    );
    return Number(trim.run(tableName, sequenceNumber).changes);
  } finally {
    database.close();
  }
}
