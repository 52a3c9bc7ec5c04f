/** What every server finds in its environment unless its deployment says otherwise. */
export const serverDefaults: Readonly<Record<string, string>> = { NODE_ENV: 'production' };

/**
 * What a server is told of itself, for its traces and reports: the revision that it was started for, and the
 * commit that this was built from, where it was built from one.
 */
export const revisionVariables = (spec: {
  revision_id: string;
  commit_sha?: string | null | undefined;
}): Record<string, string> => ({
  SLIPWAY_REVISION_ID: spec.revision_id,
  ...(typeof spec.commit_sha === 'string' && { SLIPWAY_COMMIT: spec.commit_sha }),
});
