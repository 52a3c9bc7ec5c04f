import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { errorFacts, logger } from '../http/logger.ts';

/** An event has a megabyte at most when it is packed; text does not shrink to less than a hundredth. */
const UNPACKED_BYTES_MAX = 128 * 1024 * 1024;

const subscriptionEvent = z.object({ awslogs: z.object({ data: z.string() }) });

const batch = z.object({
  messageType: z.string(),
  logStream: z.string(),
  logEvents: z.array(z.object({ timestamp: z.number(), message: z.string() })),
});
export type LogBatch = z.infer<typeof batch>;

/**
 * The lines that a subscription hands on; undefined when there are none (`CONTROL_MESSAGE` only asks whether
 * anybody is there) and for what cannot be read, which is logged: it would be no better when it came again.
 */
export function readLogBatch(event: unknown): LogBatch | undefined {
  try {
    const packed = Buffer.from(subscriptionEvent.parse(event).awslogs.data, 'base64');
    const text = gunzipSync(packed, { maxOutputLength: UNPACKED_BYTES_MAX }).toString();
    const read = batch.parse(JSON.parse(text));
    return read.messageType === 'DATA_MESSAGE' ? read : undefined;
  } catch (error) {
    logger().warn('log lines that cannot be read', errorFacts(error));
    return undefined;
  }
}
