import { once } from '../contract/once.ts';
import type { RevisionRef } from '../contract/refs.ts';
import type { OutputPiece } from '../features/logs/ingest.ts';
import { logger } from '../http/logger.ts';
import { type LogBatch, readLogBatch } from './log-batch.ts';

/** Named when a build or a set of servers is started; what runs it appends an id of its own. */
const streamName = /^([0-9a-f-]{36})\/([0-9a-f-]{36})\/([0-9a-f-]{36})(?:\/.*)?$/;

/**
 * Makes the function that is called with what builds or servers print. What cannot be of a revision is
 * dropped with a warning: it would be no better when it came again.
 */
export function logSubscription<D>(
  ingest: (deps: D, ref: RevisionRef, pieces: OutputPiece[]) => Promise<boolean>,
): (deps: () => D) => (event: unknown) => Promise<void> {
  return (deps) => {
    const kept = once(deps);
    return async (event) => {
      const read = readLogBatch(event);
      if (read === undefined) return;
      const ref = refOf(read);
      const facts = { log_stream: read.logStream, events: read.logEvents.length };
      if (ref === undefined) logger().warn('log lines of no revision', facts);
      else if (!(await ingest(kept(), ref, read.logEvents)))
        logger().info('log lines of a revision that is gone', facts);
    };
  };
}

function refOf({ logStream }: LogBatch): RevisionRef | undefined {
  const [, tenantId, deploymentId, revisionId] = streamName.exec(logStream) ?? [];
  if (tenantId === undefined || deploymentId === undefined || revisionId === undefined) return undefined;
  return { tenantId, deploymentId, revisionId };
}
