import type { Revision } from '../../lib/client/endpoints.ts';
import { labelled, words } from './configuration.ts';

/** A line of a comparison; null: not set. */
export type Change = { what: string; from: string | null; to: string | null };

const COMMIT_CHARACTERS = 10;
export const shortCommit = (sha: string | null): string | null => sha && sha.slice(0, COMMIT_CHARACTERS);

function factsOf({
  source_revision_config: at,
  configuration: set,
}: Revision): Record<string, string | null> {
  const resources = Object.entries(set?.resource_spec ?? {}).map(
    ([name, value]) => [`Resources: ${name}`, words(value)] as const,
  );
  const { Repository = null, ...others } = Object.fromEntries(labelled(set));
  return {
    Repository,
    'Branch or tag': words(at.repo_ref),
    Commit: shortCommit(at.repo_commit_sha),
    Image: words(at.image_uri),
    Upload: words(at.source_tarball_path?.split('/').at(-1)),
    'Config file': words(at.graph_config_path),
    ...others,
    'Names of secrets': words([...(set?.secret_names ?? [])].sort().join(', ')),
    'Values of secrets': versionText(set?.secrets_version),
    'Values of build secrets': versionText(set?.build_secrets_version),
    ...Object.fromEntries(resources),
  };
}

const versionText = (version: number | null | undefined): string | null =>
  typeof version === 'number' ? `version ${version}` : null;

/**
 * What changes when `to` runs instead of `from`; both with their configuration. Values of secrets are known
 * to nobody here, so their names and the numbers of their versions are compared.
 */
export function differenceOf(from: Revision, to: Revision): Change[] {
  const [before, after] = [factsOf(from), factsOf(to)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((what) => {
    const change = { what, from: before[what] ?? null, to: after[what] ?? null };
    return change.from === change.to ? [] : [change];
  });
}
