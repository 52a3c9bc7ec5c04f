import * as z from 'zod';
import { once } from '../contract/once.ts';
import { errorFacts, logger } from '../http/logger.ts';

const event = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  RequestId: z.string(),
  StackId: z.string(),
  LogicalResourceId: z.string(),
  PhysicalResourceId: z.string().optional(),
  ResponseURL: z.url(),
  ResourceProperties: z.looseObject({}),
});
type Event = z.infer<typeof event>;

/** CloudFormation takes 4 KiB of an answer. */
const REASON_LENGTH_MAX = 1_000;

/**
 * Makes the function that CloudFormation asks for a resource which is nothing but the answer to a question:
 * there is nothing to delete. An error ends the deploy, and is its reason.
 */
export function customResource<D>(
  answer: (deps: D, properties: object) => Promise<Record<string, string>>,
): (deps: () => D) => (given: unknown) => Promise<void> {
  return (deps) => {
    const kept = once(deps);
    return async (given) => {
      const asked = event.parse(given);
      try {
        const isGone = asked.RequestType === 'Delete';
        const Data = isGone ? {} : await answer(kept(), asked.ResourceProperties);
        await reply(asked, { Status: 'SUCCESS', Data });
      } catch (error) {
        logger().error('a question of a deploy has no answer', errorFacts(error));
        const reason = error instanceof Error ? error.message : String(error);
        await reply(asked, { Status: 'FAILED', Reason: reason.slice(0, REASON_LENGTH_MAX) });
      }
    };
  };
}

type Said = { Status: 'SUCCESS'; Data: Record<string, string> } | { Status: 'FAILED'; Reason: string };

async function reply(asked: Event, said: Said): Promise<void> {
  const { RequestId, StackId, LogicalResourceId } = asked;
  const PhysicalResourceId = asked.PhysicalResourceId ?? LogicalResourceId;
  const body = JSON.stringify({ ...said, RequestId, StackId, LogicalResourceId, PhysicalResourceId });
  // The address is signed for a request without a type.
  const headers = { 'content-type': '' };
  const answered = await fetch(asked.ResponseURL, { method: 'PUT', headers, body });
  if (!answered.ok) throw new Error(`CloudFormation answered ${answered.status} to an answer`);
}
