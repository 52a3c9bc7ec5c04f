import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import type { RevisionRef } from '../adapters/workflow.ts';
import type { OutputPiece } from '../app/logs/ingest-build-log.ts';
import { lazy } from '../contract/lazy.ts';
import { errorFacts } from '../http/error-mapping.ts';
import { logger } from '../http/logger.ts';

/** An event has a megabyte at most when it is packed; text does not shrink to less than a hundredth. */
const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;

const subscriptionEvent = lazy(() => z.object({ awslogs: z.object({ data: z.string() }) }));

/** `CONTROL_MESSAGE` only asks whether anybody is there. */
const batch = lazy(() =>
  z.object({
    messageType: z.string(),
    logStream: z.string(),
    logEvents: z.array(z.object({ timestamp: z.number(), message: z.string() })),
  }),
);
type Batch = z.infer<ReturnType<typeof batch>>;

/** Named when the build is started; the build service appends an id of its own. */
const streamName = /^([0-9a-f-]{36})\/([0-9a-f-]{36})\/([0-9a-f-]{36})(?:\/.*)?$/;

/**
 * Makes the function that is called with what builds print. What cannot be of a revision is dropped with a warning: it would be no better
 * when it came again.
 */
export function logSubscription<D>(
  ingest: (deps: D, ref: RevisionRef, pieces: OutputPiece[]) => Promise<boolean>,
): (deps: () => D) => (event: unknown) => Promise<void> {
  return (deps) => {
    const kept = lazy(deps);
    return async (event) => {
      const read = readBatch(event);
      if (read === undefined || read.messageType !== 'DATA_MESSAGE') return;
      const ref = refOf(read);
      const facts = { log_stream: read.logStream, events: read.logEvents.length };
      if (ref === undefined) logger().warn('log lines of no revision', facts);
      else if (!(await ingest(kept(), ref, read.logEvents)))
        logger().info('log lines of a revision that is gone', facts);
    };
  };
}

function readBatch(event: unknown): Batch | undefined {
  try {
    const packed = Buffer.from(subscriptionEvent().parse(event).awslogs.data, 'base64');
    return batch().parse(JSON.parse(gunzipSync(packed, { maxOutputLength: UNPACKED_BYTES_MAX }).toString()));
  } catch (error) {
    logger().warn('log lines that cannot be read', errorFacts(error));
    return undefined;
  }
}

function refOf({ logStream }: Batch): RevisionRef | undefined {
  const [, tenantId, deploymentId, revisionId] = streamName.exec(logStream) ?? [];
  if (tenantId === undefined || deploymentId === undefined || revisionId === undefined) return undefined;
  return { tenantId, deploymentId, revisionId };
}
