import * as z from 'zod';
import { withoutNulls } from '../validation/json.ts';
import { releaseRules } from './runtimes.ts';

/** What happens to waiting threads at a release; `days`: how long at most a revision is kept for them. */
export const onRelease = () =>
  z.object({ waiting: z.enum(releaseRules).optional(), days: z.int().optional() });
export type OnRelease = z.infer<ReturnType<typeof onRelease>>;

const DAYS_MAX = 365;

export const onReleaseRequest = () =>
  z
    .object({ waiting: z.enum(releaseRules).nullish(), days: z.int().min(1).max(DAYS_MAX).nullish() })
    .transform(withoutNulls);
