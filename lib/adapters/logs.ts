import { type LogLevel, logLevels } from '../contract/log-level.ts';
import type { DeploymentRef, RevisionRef } from '../contract/refs.ts';

/** This level and those above it. */
export const levelsFrom = (lowest: LogLevel): readonly LogLevel[] =>
  logLevels.slice(logLevels.indexOf(lowest));

/** One line as it is written; `timestamp` is epoch milliseconds, stamped by whoever read the line. */
export type LogLine = { timestamp: number; level: LogLevel; message: string };
export type LogEntry = LogLine & { id: string };

/** The log of a revision, which lines are written to. */
export type RevisionLog = RevisionRef & { type: 'build' | 'deploy' };

/** What is read: without a `revisionId`, the deploy logs of every revision of the deployment. */
export type LogStream = DeploymentRef & { revisionId?: string; type: RevisionLog['type'] };

export type LogQuery = {
  order: 'asc' | 'desc';
  limit: number;
  /** What an earlier answer gave as `nextOffset`; throws ValidationError when it is not one of ours. */
  offset?: string;
  /** The lowest level that is wanted. */
  level?: LogLevel;
  /** A part of the message, in any case. */
  query?: string;
  /** Epoch milliseconds, both inclusive. */
  startTime?: number;
  endTime?: number;
  /** Only entries after the one with this id (`Last-Event-ID`). */
  afterId?: string;
};

/** Log lines of builds and agent servers: gzipped chunks in the table, or SQLite on this machine. */
export type Logs = {
  /** How long after a build or a server has ended lines of it may still come. */
  lagMilliseconds: number;
  append(stream: RevisionLog, lines: LogLine[]): Promise<void>;
  /**
   * Entries in the order asked for. In asc order `nextOffset` is always given (following works by asking
   * again with it), in desc order it is undefined at the end.
   */
  query(stream: LogStream, query: LogQuery): Promise<{ entries: LogEntry[]; nextOffset: string | undefined }>;
  /** Forgets a deployment's lines. `more`: that took a while, and some are left for another call. */
  delete(tenantId: string, deploymentId: string): Promise<'done' | 'more'>;
};
