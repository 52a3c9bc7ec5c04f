import * as z from 'zod';
import { resolvedRuntimes, runtimeReasons } from '../../contract/deployments/runtimes.ts';
import { agentServers } from '../../contract/revision-status.ts';

/** Parts of the stored deployments and revisions; `items.ts` has the items. */

/** Held by the one revision that is being processed, or by the deletion. */
export const slot = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('revision'), revision_id: z.string(), number: z.int(), since: z.string() }),
  z.object({ kind: z.literal('delete'), since: z.string() }),
]);
export type Slot = z.infer<typeof slot>;

/** The revision that serves, and what its listener last said of it. */
export const active = z.object({
  revision_id: z.string(),
  number: z.int(),
  /** The versions that it runs; no configuration: an earlier release deployed it, which noted neither. */
  configuration: z.int().optional(),
  secrets: z.int().optional(),
  url: z.string().optional(),
  image_version: z.string().optional(),
  healthy: z.boolean(),
  reason: z.string().optional(),
  /** The epoch of the task that deployed it; reports at a lower one are of an earlier life. */
  epoch: z.int(),
  /** The listener's last report names this revision. */
  reconciled: z.boolean(),
});

/**
 * `platforms`: `linux/arm64` and the like, of which a folder is for one. `durable`: what Slipway's own agent
 * server needs is in it.
 */
const made = {
  platforms: z.array(z.string()).optional(),
  server: z.enum(agentServers).optional(),
  durable: z.boolean().optional(),
};

/** What a build made, as its revision holds it. */
export const artifactItem = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('folder'),
    key: z.string(),
    sha256: z.string(),
    sizeBytes: z.number(),
    ...made,
  }),
  z.object({ kind: z.literal('image'), uri: z.string(), ...made }),
]);

/** What a runtime came to, and why that. */
export const runtimeItem = z.object({ resolved: z.enum(resolvedRuntimes), reason: z.enum(runtimeReasons) });
export type RuntimeItem = z.infer<typeof runtimeItem>;

/** What was left of the artifacts of a deployment when its last revision that ran one ended. */
export const keptArtifacts = z.object({
  count: z.int(),
  size_bytes: z.int(),
  /** Numbers of the revisions whose artifacts go, or are gone: no revision may use them. */
  dropped: z.array(z.int()),
});
export type KeptArtifacts = z.infer<typeof keptArtifacts>;

/** What a commit says of itself: the first line of its message and its author's name, both cut. */
export const commitDescription = z.object({ message: z.string(), author: z.string(), at: z.string() });

/**
 * What made a revision; absent: a request, as in all earlier versions. `reason`: of a redeploy what a person
 * gave, of a push why its paths could not be evaluated.
 */
export const cause = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('redeploy'), revision_id: z.string(), reason: z.string().optional() }),
  /** `delivery_id`: of the record of the delivery. */
  z.object({ kind: z.literal('push'), delivery_id: z.string(), reason: z.string().optional() }),
  z.object({ kind: z.literal('head'), reason: z.string().optional() }),
]);

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

/** Where a revision's code comes from; of one source kind only. */
export const revisionConfig = z.object({
  repo_ref: z.string().optional(),
  graph_config_path: z.string().optional(),
  image_uri: z.string().optional(),
  source_tarball_path: z.string().optional(),
  repo_commit_sha: z.string().optional(),
});
export type RevisionConfig = z.infer<typeof revisionConfig>;

export const secretReference = z.object({
  name: z.string(),
  secret_name: z.string(),
  secret_key: z.string(),
});
