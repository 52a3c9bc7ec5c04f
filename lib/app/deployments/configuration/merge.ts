import { isDeepStrictEqual } from 'node:util';
import { hostProblem } from '../../../adapters/outbound/addresses.ts';
import { clearableFields, configFields } from '../../../contract/deployments/fields.ts';
import { SECRET_MASK, type Secret } from '../../../contract/deployments/secrets.ts';
import { ValidationError } from '../../../contract/errors.ts';
import type { Deps } from '../../../core/deps.ts';
import type { Deployment, DeploymentConfig } from '../../../core/items/items.ts';
import { openDeploymentSecrets } from '../../../core/secrets.ts';

/** Merges what was asked into what was configured: absent keeps, empty clears where a field is clearable. */
export function mergeConfig(current: DeploymentConfig, asked: Partial<DeploymentConfig>): DeploymentConfig {
  const merged: DeploymentConfig = { ...current };
  for (const field of configFields)
    if (asked[field] !== undefined) Object.assign(merged, { [field]: asked[field] });
  for (const field of clearableFields) if (isEmpty(merged[field])) delete merged[field];
  return merged;
}

/** A text, a list or an object without content. */
const isEmpty = (value: string | object | undefined): boolean =>
  value !== undefined && Object.keys(value).length === 0;

/**
 * Throws 422 for a repository that only the installation can tell is not to be read. The schemas have judged
 * everything else.
 */
export function checkConfig(
  { repo_url: repoUrl }: Partial<DeploymentConfig>,
  settings: Pick<Deps['settings'], 'allowFileRepositories' | 'addresses'>,
): void {
  if (repoUrl === undefined) return;
  const problem = repositoryProblem(repoUrl, settings);
  if (problem === undefined) return;
  throw new ValidationError([
    {
      loc: ['body', 'source_config', 'repo_url'],
      type: 'value_error',
      msg: `Value error, ${problem}`,
      input: repoUrl,
    },
  ]);
}

/**
 * Names are judged when they are resolved, which is when they are connected to; here only what is an address
 * by itself.
 */
function repositoryProblem(
  repoUrl: string,
  { allowFileRepositories, addresses }: Pick<Deps['settings'], 'allowFileRepositories' | 'addresses'>,
): string | undefined {
  if (repoUrl.startsWith('file:'))
    return allowFileRepositories ? undefined : 'file: repositories are not available here; use https';
  const [, scpHost] = /^[^/@:]+@([^/:]+):/.exec(repoUrl) ?? [];
  const host = scpHost ?? (URL.canParse(repoUrl) ? new URL(repoUrl).hostname : '');
  const asHttps = `https://${host}/`;
  return URL.canParse(asHttps) ? hostProblem(new URL(asHttps), addresses) : undefined;
}

/**
 * The secrets a request asks for, with each mask replaced by the value that is stored under its name. Throws
 * 422 for a mask of a name that has none. Undefined: the request leaves them alone, or they would be the
 * same.
 */
export async function resolveSecrets(
  deps: Pick<Deps, 'table' | 'keys'>,
  deployment: Deployment | undefined,
  asked: Secret[] | undefined,
): Promise<Secret[] | undefined> {
  if (asked === undefined) return undefined;
  const stored = await storedSecrets(deps, deployment);
  const values = new Map(stored.map((secret) => [secret.name, secret.value]));
  const items = asked.flatMap((secret, index) =>
    secret.value === SECRET_MASK && !values.has(secret.name)
      ? [
          {
            loc: ['body', 'secrets', index, 'value'],
            type: 'value_error',
            msg: `Value error, the mask keeps a stored value, but no secret named ${secret.name} is stored`,
          },
        ]
      : [],
  );
  if (items.length > 0) throw new ValidationError(items);
  const resolved = asked.map(({ name, value }) => ({
    name,
    value: value === SECRET_MASK ? (values.get(name) ?? value) : value,
  }));
  return isDeepStrictEqual(resolved, stored) ? undefined : resolved;
}

async function storedSecrets(
  deps: Pick<Deps, 'table' | 'keys'>,
  deployment: Deployment | undefined,
): Promise<Secret[]> {
  if (deployment === undefined) return [];
  return openDeploymentSecrets(
    deps,
    { tenantId: deployment.tenant_id, deploymentId: deployment.id },
    deployment.secrets,
  );
}
