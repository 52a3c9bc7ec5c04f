import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Timestamp } from './rows.ts';

/** Runs a statement; throws what Postgres says. */
export type Query = <Row extends object = Record<string, unknown>>(
  sql: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

const OID = { int8: 20, json: 114, jsonb: 3802, timestamptz: 1184 } as const;

/** `2026-11-26 12:00:00.12+00`, in UTC as `connection` asks, as the HTTP API has times. */
const timestampOf = (text: string): Timestamp => `${text.slice(0, -3).replace(' ', 'T')}+00:00`;

/** Documents stay text. Numbers of 64 bits are counts and sequences here, far below 2^53. */
const types = new pg.TypeOverrides();
types.setTypeParser(OID.json, (text) => text);
types.setTypeParser(OID.jsonb, (text) => text);
types.setTypeParser(OID.int8, Number);
types.setTypeParser(OID.timestamptz, timestampOf);

/**
 * A transaction waits for nothing but Postgres. That of a process that stands still (SIGSTOP) ends by itself
 * after so long, and with it the locks of rows that others wait for.
 */
const IDLE_IN_TRANSACTION = '10s';

/** How a server connects, for its pool and for the session that listens. */
export const connectionTo = (uri: string): pg.ClientConfig => ({
  connectionString: uri,
  types,
  application_name: 'slipway-agent-runtime',
  // A statement that hangs would keep a lease from being renewed for longer than it lasts.
  connectionTimeoutMillis: 5_000,
  query_timeout: 30_000,
  options: `-c timezone=UTC -c search_path=rt,public -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION}`,
});

/** One connection for each of some statements at once; the session that listens is another. */
const CONNECTIONS = 8;

/** SQLSTATE of a transaction that Postgres has ended, so that another one goes on. */
const DEADLOCK = '40P01';

/**
 * Classes of SQLSTATEs of what Postgres will never take: data that does not fit its type, or is beyond a
 * bound.
 */
const PERMANENT = /^(?:22|54)/;

/** Whether the same statement would fail again, however often. */
export const isPermanent = (error: unknown): boolean => PERMANENT.test(String(codeOf(error)));

/**
 * SQLSTATEs of a connection that broke or stood still in a transaction, of too many, and of a server that
 * stops or starts; errors of the system.
 */
const AWAY = /^(?:08(?!P01)|25P03|53|57P0|E[A-Z]+$)/;
const AWAY_MESSAGE =
  /^(?:Connection terminated|Client (?:has encountered a connection error|was closed)|timeout exceeded when trying to connect|Query read timeout)/;

/** Whether Postgres could not be asked, or has broken off: another time the same may succeed. */
export const isAway = (error: unknown): boolean =>
  AWAY.test(String(codeOf(error))) || (error instanceof Error && AWAY_MESSAGE.test(error.message));

/**
 * What Postgres lacks, in its words, such as room on the disk or a connection; undefined for any other error.
 */
export const lackOf = (error: unknown): string | undefined =>
  error instanceof Error && String(codeOf(error)).startsWith('53') ? error.message : undefined;

/** What says that something between does not pass on what a connection asks for as it begins. */
const POOLER = 'unsupported startup parameter';

/** An error of a first connection, with what helps where that is known. */
const withHelp = (error: unknown): unknown =>
  error instanceof Error && error.message.includes(POOLER)
    ? new Error(
        `DATABASE_URI: ${error.message}. A pooler in transaction mode is between: give the address of PostgreSQL itself, or of a pooler in session mode that passes on \`options\`.`,
        { cause: error },
      )
    : error;

const RETRY_MILLISECONDS = 500;

/**
 * Does something that may be done twice, and again while Postgres is away, which may be starting just now.
 * Throws what failed last when the time is over.
 */
export async function oncePostgresIsThere<T>(
  work: () => Promise<T>,
  withinMilliseconds: number,
  say: (text: string) => void,
): Promise<T> {
  const deadline = performance.now() + withinMilliseconds;
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) || performance.now() > deadline) throw withHelp(error);
      say(`Postgres does not answer, and is asked again: ${String(error)}`);
      await delay(RETRY_MILLISECONDS);
    }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The tables of one deployment. */
export class Database {
  readonly uri: string;
  readonly #pool: pg.Pool;

  constructor(uri: string) {
    this.uri = uri;
    this.#pool = new pg.Pool({ ...connectionTo(uri), max: CONNECTIONS });
    // An idle connection that breaks is replaced; whoever uses one hears of it by its statement.
    this.#pool.on('error', () => undefined);
  }

  /** Over a unix socket a session lives exactly as long as the process at its other end. */
  get isLocal(): boolean {
    return /@\/|[?&]host=(?:\/|%2F)/i.test(this.uri);
  }

  /** Runs one statement, in a transaction of its own. */
  readonly query: Query = async <Row extends object>(sql: string, values: readonly unknown[] = []) => {
    const { rows } = await this.#pool.query<Row>(sql, [...values]);
    return rows;
  };

  /**
   * Runs statements as one transaction; what they throw undoes them. Two that lock rows in another order are
   * told apart by Postgres: the one that it ends runs again, so that `run` has no effects but by its
   * statements.
   */
  async transaction<T>(run: (query: Query) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.#transaction(run);
      } catch (error) {
        if (codeOf(error) !== DEADLOCK || attempt === 5) throw error;
      }
  }

  async #transaction<T>(run: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    // The pool hears of the end of idle connections alone; one that nobody hears of would end this process.
    const noteBroken = (error: Error): void => {
      broken = error;
    };
    client.on('error', noteBroken);
    try {
      await client.query('begin');
      const result = await run(async <Row extends object>(sql: string, values: readonly unknown[] = []) => {
        const { rows } = await client.query<Row>(sql, [...values]);
        return rows;
      });
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((undoing: unknown) => {
        broken = undoing instanceof Error ? undoing : new Error(String(undoing));
      });
      throw error;
    } finally {
      client.off('error', noteBroken);
      // A connection that cannot be rolled back is closed, which undoes what it did.
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
