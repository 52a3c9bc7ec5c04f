import type { Deployment, Revision } from '../data/contract.ts';
import { isMoving } from './status.ts';

const words: Readonly<Record<string, string>> = {
  secrets: 'secrets',
  secret_references: 'secret references',
  'source_config.repo_url': 'repository',
  'source_config.install_command': 'install command',
  'source_config.build_command': 'build command',
  'source_config.resource_spec': 'resources',
};

/**
 * In what the serving revision's configuration differs from the deployment's, in words; empty when in
 * nothing, and while a revision that may change that is on its way.
 */
export const apartIn = (
  { active_configuration: configuration }: Pick<Deployment, 'active_configuration'>,
  newest: Pick<Revision, 'status'> | undefined,
): string[] =>
  newest === undefined || isMoving(newest.status)
    ? []
    : (configuration?.fields ?? []).map((field) => words[field] ?? field);
