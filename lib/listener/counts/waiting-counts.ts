import { readFileSync } from 'node:fs';
import * as z from 'zod';
import {
  COUNTS_MINUTES_MAX,
  COUNTS_ROWS_MAX,
  type CountsRow,
  countsRow,
} from '../../contract/deployments/counts.ts';
import { merge } from '../../domain/metrics/merge.ts';
import { writeFileAtomic } from '../../processes/atomic-file.ts';
import { messageOf } from '../backoff.ts';
import type { Log } from '../log.ts';
import { revisionKey } from './measured.ts';

/** What waits at most while the control plane does not answer: some 50 busy revisions for two hours. */
const ROWS_MAX = 6_000;

const fileSchema = z.object({ version: z.literal(1), rows: z.array(countsRow) });

/**
 * Counts that the control plane has not taken yet, oldest first. With a file they outlive this program;
 * without one, what it has not told is lost with it.
 */
export class WaitingCounts {
  readonly #file: string | undefined;
  readonly #log: Log;
  #rows: Map<string, CountsRow>;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string | undefined, log: Log) {
    this.#file = file;
    this.#log = log;
    this.#rows = new Map(rowsIn(file, log).map((row) => [keyOf(row), row]));
  }

  /** Takes rows, and adds to those of the same revision and minute. What is too old or too much goes. */
  async add(rows: readonly CountsRow[], minute: number): Promise<void> {
    for (const row of rows) {
      const key = keyOf(row);
      const before = this.#rows.get(key);
      this.#rows.set(key, before === undefined ? row : { ...row, ...merge(before, row, 'times') });
    }
    const left = this.#dropOld(minute);
    if (rows.length > 0 || left > 0) await this.#write();
  }

  /** What one claim may carry now: minutes that are over by this one. */
  due(minute: number): CountsRow[] {
    const over = [...this.#rows.values()].filter((row) => row.minute < minute);
    return over.slice(0, COUNTS_ROWS_MAX);
  }

  /** These were taken, or will never be. */
  async settle(rows: readonly CountsRow[]): Promise<void> {
    if (rows.length === 0) return;
    for (const row of rows) if (this.#rows.get(keyOf(row)) === row) this.#rows.delete(keyOf(row));
    await this.#write();
  }

  #dropOld(minute: number): number {
    const rows = [...this.#rows];
    const kept = rows.filter(([, row]) => row.minute > minute - COUNTS_MINUTES_MAX).slice(-ROWS_MAX);
    const left = rows.length - kept.length;
    if (left === 0) return 0;
    this.#rows = new Map(kept);
    this.#log.warn(
      `${left} counted minutes were dropped: the control plane took none for too long, and takes them for two hours only`,
    );
    return left;
  }

  #write(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return Promise.resolve();
    const write = async () => {
      const text = JSON.stringify({ version: 1, rows: [...this.#rows.values()] });
      // In a power cut the counts of a minute may go.
      await writeFileAtomic(file, text, { flush: false });
    };
    this.#writing = this.#writing
      .then(write)
      .catch((error: unknown) => this.#log.warn(`counts are not kept on disk: ${messageOf(error)}`));
    return this.#writing;
  }
}

const keyOf = (row: CountsRow): string => `${row.minute}/${revisionKey(row)}`;

function rowsIn(file: string | undefined, log: Log): CountsRow[] {
  if (file === undefined) return [];
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return []; // Nothing was kept.
  }
  try {
    return fileSchema.parse(JSON.parse(text)).rows;
  } catch (error) {
    log.warn(`the counts in ${file} cannot be read, and are passed over: ${messageOf(error)}`);
    return [];
  }
}
