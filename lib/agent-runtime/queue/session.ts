import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { connectionTo, type Database } from '../tables/database.ts';
import { lockKey } from '../tables/leases.ts';
import type { Server } from './queue-store.ts';

export type SessionListener = {
  /** Something of a build may be due. */
  onWake(buildId: string): void;
  /** A run, or a call, has changed. */
  onChange(id: string): void;
  onCancel(runId: string): void;
  /** Notifications may have been missed. */
  onConnected(): void;
};

const CHANNELS = ['rt_wake', 'rt_ev', 'rt_cancel', 'rt_test'] as const;
const RECONNECT_MILLISECONDS = 500;
const TEST_MILLISECONDS = 5_000;
const TEST_TIMEOUT_MILLISECONDS = 3_000;

const DEAF =
  'A LISTEN on DATABASE_URI hears no NOTIFY: a pooler in transaction mode is between. Give the address of PostgreSQL itself, or of a pooler in session mode.';

/**
 * The session by which a server hears notifications. It holds the server's advisory lock: on this machine
 * others know by it that the server is dead.
 */
export class Session {
  readonly #database: Database;
  readonly #server: Server;
  readonly #listener: SessionListener;
  #client: pg.Client | undefined;
  #isClosed = false;
  #problem: string | undefined = 'the session that listens is not connected yet';
  #heard: ((token: string) => void) | undefined;

  constructor(database: Database, server: Server, listener: SessionListener) {
    this.#database = database;
    this.#server = server;
    this.#listener = listener;
  }

  /** Why notifications are not heard; undefined while they are. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Connects, and again whenever the connection breaks, until it is closed. */
  async run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#connected();
      } catch (error) {
        this.#problem = `the session that listens is not connected: ${String(error)}`;
      }
      if (!this.#isClosed) await pause(RECONNECT_MILLISECONDS);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end().catch(() => undefined);
  }

  async #connected(): Promise<void> {
    const client = new pg.Client({ ...connectionTo(this.#database.uri), keepAlive: true });
    this.#client = client;
    const ended = new Promise<Error | undefined>((resolve) => {
      client.on('error', resolve);
      client.on('end', () => resolve(undefined));
    });
    client.on('notification', ({ channel, payload = '' }) => this.#hear(channel, payload));
    try {
      await client.connect();
      // Whoever looks for dead servers in between sees a beat that is young.
      await client.query(`select pg_advisory_lock(${lockKey('$1')})`, [this.#server.owner]);
      await this.#announce();
      for (const channel of CHANNELS) await client.query(`listen ${channel}`);
      this.#listener.onConnected();
      await this.#watch(ended);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async #announce(): Promise<void> {
    const { owner, buildId, revisionId } = this.#server;
    await this.#database.query(
      `insert into rt.servers (owner, build_id, revision_id, holds_lock) values ($1, $2, $3, $4)
      on conflict (owner) do update set seen_at = clock_timestamp()`,
      [owner, buildId, revisionId, this.#database.isLocal],
    );
  }

  /** Until the connection ends: sends itself notifications, and says when none comes. */
  async #watch(ended: Promise<Error | undefined>): Promise<void> {
    const over = ended.then((error) => {
      throw error ?? new Error('Postgres has closed it');
    });
    over.catch(() => undefined);
    for (;;) {
      const token = randomUUID();
      const heard = new Promise<boolean>((resolve) => {
        this.#heard = (text) => {
          if (text === token) resolve(true);
        };
      });
      await this.#database.query(`select pg_notify('rt_test', $1)`, [token]);
      const isHeard = await Promise.race([heard, pause(TEST_TIMEOUT_MILLISECONDS).then(() => false), over]);
      this.#problem = isHeard ? undefined : DEAF;
      await Promise.race([pause(TEST_MILLISECONDS), over]);
    }
  }

  #hear(channel: string, payload: string): void {
    if (channel === 'rt_wake') this.#listener.onWake(payload);
    else if (channel === 'rt_ev') this.#listener.onChange(payload);
    else if (channel === 'rt_cancel') this.#listener.onCancel(payload);
    else this.#heard?.(payload);
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
