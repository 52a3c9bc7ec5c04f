import type { DynamoDBRecord } from 'aws-lambda';
import type { Changes } from '../adapters/changes.ts';
import type { Logs } from '../adapters/logs.ts';
import { entityOf } from './stream/lambda-record.ts';

/** The port, and what tells it of changes. */
export type EmbeddedChanges = Changes & {
  /** Each record of the table's stream. */
  notice(record: DynamoDBRecord): void;
  /** The same logs, of whose new lines this hears. */
  heardOf<L extends Logs>(logs: L): L;
};

/** Events come with the feed's count, and logs end with a revision. */
const FOLLOWED: ReadonlySet<string | undefined> = new Set(['feed_count', 'revision', 'deployment']);

/** One bell for all that is followed: whoever it wakes in vain reads once, and no more often than without it. */
export function createChanges(): EmbeddedChanges {
  const waiting = new Set<() => void>();
  const ring = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  return {
    next: () => {
      const { promise: came, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      return { came, forget: () => waiting.delete(resolve) };
    },
    notice: (record) => void (FOLLOWED.has(entityOf(record)) && ring()),
    heardOf: (logs) => ({
      ...logs,
      async append(stream, lines) {
        await logs.append(stream, lines);
        if (lines.length > 0) ring();
      },
    }),
  };
}
