import type { EventHub } from '../queue/event-log.ts';
import type { Server } from '../queue/queue-store.ts';
import type { RunTotals } from '../queue/run-totals.ts';
import type { Database } from '../tables/database.ts';
import type { KeptWorker } from '../worker/kept-worker.ts';

/** What answers requests: the tables, the worker of the graphs, and how the server is. */
export type Agent = {
  readonly database: Database;
  readonly server: Server;
  readonly worker: KeptWorker;
  readonly hub: EventHub;
  /** Aborted when the server stops: open streams are cut, and clients come back to the next server. */
  readonly closing: AbortSignal;
  /** Connections are closed by whoever is in front of this server: that is no client who has gone. */
  isRetiring(): boolean;
  /** From now on it is so. */
  retire(): void;
  /** What internal paths ask for; undefined: there are none. */
  readonly internalToken: string | undefined;
  /** Why the server should get no requests; undefined while it should. */
  problem(): Promise<string | undefined>;
  /** How many runs it has in hand. */
  running(): number;
  readonly totals: RunTotals;
  /** A line for operators. */
  say(text: string): void;
};
