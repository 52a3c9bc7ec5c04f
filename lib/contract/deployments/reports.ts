import * as z from 'zod';
import { withoutNulls } from '../validation/json.ts';
import { textRule } from '../validation/problems.ts';
import { expiredThreads, THREAD_ROWS_MAX, threadCounts } from './threads.ts';

/** What one request may report at most. */
export const REPORTS_PER_REQUEST_MAX = 500;

/**
 * Where an agent answers, as responses show it and people open it: no address of another scheme, which
 * could be a script.
 */
export const agentUrl = z.string().max(2048).superRefine(textRule(agentUrlProblem));
function agentUrlProblem(text: string): string | undefined {
  const isWeb = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);
  return isWeb ? undefined : 'a URL begins with http:// or https://';
}

/**
 * What really runs, on every change and every 5 minutes: `POST …/status` takes it, and a claim.
 * `revision_id: null`: nothing of it; said at the row's epoch also of each row of `desired` that wants
 * nothing, for the row of a deployment that is gone stays until then.
 *
 * `threads`: of each revision that threads wait in or that has runs, those with most waiting threads first;
 * what is beyond the maximum is left out. Empty: there are none. Absent: nothing is known. Counts that change
 * are worth a report of their own at most every fifteen seconds. `expired` may be sent again: what is not
 * later than the latest that was taken is known already, so what has one time comes in one report.
 */
export const reports = z
  .array(
    z
      .object({
        deployment_id: z.guid(),
        epoch: z.int(),
        revision_id: z.guid().nullable(),
        healthy: z.boolean(),
        reason: z.string().max(2048).nullish(),
        url: agentUrl.nullish(),
        threads: z.array(threadCounts).max(THREAD_ROWS_MAX).nullish(),
        expired: z.array(expiredThreads).max(THREAD_ROWS_MAX).nullish(),
      })
      .transform(({ revision_id, ...report }) => ({ ...withoutNulls(report), revision_id })),
  )
  .max(REPORTS_PER_REQUEST_MAX);
