import type { CompleteRequest } from '../features/listener-protocol/shape.ts';
import type { DeployResult } from './driver.ts';

const STATUS_MESSAGE_CHARACTERS_MAX = 8000;

/** How a deploy ended, in the words of the protocol. */
export function completion(result: DeployResult): Omit<CompleteRequest, 'lease_id'> {
  if (result.outcome === 'succeeded') {
    const { url, remark } = result;
    return { outcome: 'succeeded', url, ...(remark !== undefined && { status_message: cut(remark) }) };
  }
  if (result.outcome === 'stopped') return { outcome: 'stopped' };
  return { ...failed(result.message), previous_serving: result.previousServing };
}

export const failed = (message: string) => ({ outcome: 'failed', status_message: cut(message) }) as const;

/** As long as a message may be, and no half a character at the end. */
export const cut = (message: string): string =>
  message.slice(0, STATUS_MESSAGE_CHARACTERS_MAX).toWellFormed();

export const olderThan = (epoch: number, known: number): string =>
  `Epoch ${epoch} is older than ${known}, which this listener has already applied.`;
