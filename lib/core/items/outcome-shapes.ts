import * as z from 'zod';

const failed = { result: z.literal('failed'), message: z.string() };
const succeeded = { result: z.literal('succeeded') };
const build = { stage: z.literal('build') };
const deployed = {
  stage: z.literal('deploy'),
  /** Of the task that ended so. */
  epoch: z.int().optional(),
};

/**
 * A fact recorded about a stage's end; dispatch answers the waiting token with it, Finish turns it into a
 * status.
 */
export const outcome = z.discriminatedUnion('stage', [
  z.object({ stage: z.literal('create'), ...failed }),
  z.discriminatedUnion('result', [z.object({ ...build, ...succeeded }), z.object({ ...build, ...failed })]),
  z.discriminatedUnion('result', [
    z.object({
      ...deployed,
      ...succeeded,
      message: z.string().optional(),
      url: z.string().optional(),
      image_version: z.string().optional(),
    }),
    /** `previous_serving`: the listener could bring back what was active before. */
    z.object({ ...deployed, ...failed, previous_serving: z.boolean().optional() }),
  ]),
]);
export type Outcome = z.infer<typeof outcome>;

/** A build that made nothing, through no fault of the source: the next attempt builds again. */
export const lostBuild = z.object({
  id: z.string(),
  /** The attempt that it was asked for in first, and the one in which it was lost. */
  build_attempt: z.int(),
  attempt: z.int(),
  /** No builder became free for it in time. */
  unstarted: z.boolean().optional(),
});
