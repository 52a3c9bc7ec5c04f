import * as z from 'zod';
import { agentServers } from '../../contract/revision-status.ts';

/** `platforms`: `linux/arm64` and the like, of which a folder is for one. */
const made = { platforms: z.array(z.string()).optional(), server: z.enum(agentServers).optional() };

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

/** What was left of the artifacts of a deployment when its last revision that ran one ended. */
export const keptArtifacts = z.object({
  count: z.int(),
  size_bytes: z.int(),
  /** Numbers of the revisions whose artifacts go, or are gone: no revision may use them. */
  dropped: z.array(z.int()),
});
export type KeptArtifacts = z.infer<typeof keptArtifacts>;
