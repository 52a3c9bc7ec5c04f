import * as z from 'zod';

/** So many revisions with threads a report names, and so many of which threads were ended. */
export const THREAD_ROWS_MAX = 50;

/** With as many digits after the second as anybody writes. */
const time = () => z.iso.datetime().max(40);

/**
 * The threads of a durable deployment that belong to one revision, itself or another of the same build.
 * `runs`: how many are pending or running. `waiting`: how many threads wait for a person. `oldest_at`: since
 * when the first of those does.
 */
export const threadCounts = z.object({
  revision_id: z.guid(),
  runs: z.int().min(0),
  waiting: z.int().min(0),
  oldest_at: time().nullable(),
});
export type ThreadCounts = z.infer<typeof threadCounts>;

/** `threads` of a revision were ended `at` that time, since the days of its on_release were over. */
export const expiredThreads = z.object({
  revision_id: z.guid(),
  threads: z.int().min(1),
  at: time(),
});
export type ExpiredThreads = z.infer<typeof expiredThreads>;
