import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { ExecutionStatus } from '../../contract/execution-status.ts';

/** Step Functions gives the name of a closed execution free again after so long. */
const NAME_TAKEN_MILLISECONDS = 90 * 24 * 3_600_000;

/**
 * What no name of an execution may hold: white space, brackets, wildcards, quotes, separators, control
 * characters.
 */
const forbidden = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\u0000-\u001f\u007f-\u009f]/;
const NAME_LENGTH_MAX = 80;

export function checkName(name: string): void {
  if (name.length < 1 || name.length > NAME_LENGTH_MAX || forbidden.test(name)) {
    throw Object.assign(new Error(`Invalid Name: '${name}'`), { name: 'InvalidName' });
  }
}

type Ended = 'succeeded' | 'failed' | 'stopped';

/** Remembers on disk which execution names are taken, and by what. */
export type ExecutionNames = {
  /**
   * Takes the name. `same`: it is running with this very input; `taken`: anything else of that name was
   * started before.
   */
  take(name: string, input: string, now: number): 'new' | 'same' | 'taken';
  close(name: string, how: Ended, now: number): void;
  /** What a process left running that was killed has `failed`. */
  state(name: string): ExecutionStatus;
  release(): void;
};

/**
 * Opens the file. Executions live in the process that started them, so what was running in an earlier one is
 * closed.
 */
export function openExecutionNames(path: string, now: number): ExecutionNames {
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS executions (
      name TEXT PRIMARY KEY, input_sha256 TEXT NOT NULL, started_at INTEGER NOT NULL, closed_at INTEGER, ended TEXT
    ) STRICT, WITHOUT ROWID;
  `);
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all('executions');
  if (!columns.some(({ name }) => name === 'ended')) db.exec('ALTER TABLE executions ADD COLUMN ended TEXT');
  db.prepare('UPDATE executions SET closed_at = ? WHERE closed_at IS NULL').run(now);
  db.prepare('DELETE FROM executions WHERE closed_at < ?').run(now - NAME_TAKEN_MILLISECONDS);
  const find = db.prepare('SELECT input_sha256, closed_at, ended FROM executions WHERE name = ?');
  const insert = db.prepare('INSERT INTO executions (name, input_sha256, started_at) VALUES (?, ?, ?)');
  const end = db.prepare('UPDATE executions SET closed_at = ?, ended = ? WHERE name = ?');
  return {
    take(name, input, startedAt) {
      const digest = createHash('sha256').update(input).digest('hex');
      const found = find.get(name);
      if (found === undefined) {
        insert.run(name, digest, startedAt);
        return 'new';
      }
      return found.closed_at === null && found.input_sha256 === digest ? 'same' : 'taken';
    },
    close: (name, how, closedAt) => {
      end.run(closedAt, how, name);
    },
    state(name) {
      const found = find.get(name);
      if (found === undefined) return 'absent';
      if (found.closed_at === null) return 'running';
      return found.ended === 'succeeded' || found.ended === 'stopped' ? found.ended : 'failed';
    },
    release: () => db.close(),
  };
}
