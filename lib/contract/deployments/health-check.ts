import * as z from 'zod';
import { withoutNulls } from '../validation/json.ts';
import { textRule } from '../validation/problems.ts';

/** How a server says that it is ready: what is asked of it, and how long a deploy waits for the answer. */
export const healthCheck = () =>
  z.object({ path: z.string().optional(), timeout_seconds: z.int().optional() });
export type HealthCheck = z.infer<ReturnType<typeof healthCheck>>;

/** What a balancer takes. */
const PATH_LENGTH_MAX = 1024;
const TIMEOUT_SECONDS_MAX = 3600;

export const healthCheckRequest = () =>
  z
    .object({
      path: z.string().max(PATH_LENGTH_MAX).superRefine(textRule(healthPathProblem)).nullish(),
      timeout_seconds: z.int().min(1).max(TIMEOUT_SECONDS_MAX).nullish(),
    })
    .transform(withoutNulls);

/** The path of a URL with its query, and never a host: after `//` or a backslash there would be one. */
function healthPathProblem(text: string): string | undefined {
  if (!text.startsWith('/') || text.startsWith('//'))
    return "the path of a health check begins with one '/' and names no host";
  return /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})+$/.test(text)
    ? undefined
    : "the path of a health check has the characters of a URL's path and query; write others as %20 and the like";
}
