import type { DynamoDBRecord } from 'aws-lambda';
import type { TaskNotifier } from '../adapters/task-notifier.ts';
import { entityOf } from './stream/lambda-record.ts';

/** The port, and its feed: each record of the table's stream. */
export type EmbeddedTaskNotifier = TaskNotifier & {
  notice(record: DynamoDBRecord): void;
  /** Ends all waiting. */
  close(): void;
};

/**
 * Holds claims until the stream shows that a task of their listener is offered or cancelled, or that
 * something else that it should run was changed.
 */
export function createTaskNotifier(): EmbeddedTaskNotifier {
  const waiting = new Map<string, Set<() => void>>();
  let closed = false;
  const release = (listenerId: string) => {
    for (const resolve of [...(waiting.get(listenerId) ?? [])]) resolve();
  };
  return {
    holds: true,
    wait(listenerId, milliseconds) {
      if (closed || milliseconds <= 0) return Promise.resolve();
      const resolvers = waiting.get(listenerId) ?? new Set();
      waiting.set(listenerId, resolvers);
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          resolvers.delete(done);
          if (resolvers.size === 0 && waiting.get(listenerId) === resolvers) waiting.delete(listenerId);
          resolve();
        };
        const timer = setTimeout(done, milliseconds);
        timer.unref();
        resolvers.add(done);
      });
    },
    notice(record) {
      const listenerId = wokenListener(record);
      if (listenerId !== undefined) release(listenerId);
    },
    close() {
      closed = true;
      for (const listenerId of [...waiting.keys()]) release(listenerId);
    },
  };
}

/**
 * Whose task has just become offered or cancelled, or what else it should run has changed. A heartbeat, say,
 * is no reason to answer a claim.
 */
function wokenListener(record: DynamoDBRecord): string | undefined {
  const { NewImage: now, OldImage: before } = record.dynamodb ?? {};
  if (entityOf(record) === 'last_seen')
    return now?.changes?.N === before?.changes?.N ? undefined : now?.pk?.S?.split('#').at(-1);
  if (entityOf(record) !== 'task') return undefined;
  const state = now?.state?.S;
  if ((state !== 'offered' && state !== 'cancelled') || state === before?.state?.S) return undefined;
  return now?.listener_id?.S;
}
