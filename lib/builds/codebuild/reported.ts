/**
 * What a build reports, by the names of its exported variables. One that could not be made reports why, and
 * nothing else but its commit.
 */
export const REPORTED = [
  'ARTIFACT_DIGEST',
  'ARTIFACT_DURABLE',
  'ARTIFACT_KEY',
  'ARTIFACT_SERVER',
  'ARTIFACT_SHA256',
  'ARTIFACT_SIZE_BYTES',
  'COMMIT_SHA',
  'FAILURE_REASON',
] as const;
