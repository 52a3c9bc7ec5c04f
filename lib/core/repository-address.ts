import { hostProblem } from '../adapters/outbound/addresses.ts';
import type { Deps } from './deps.ts';

/**
 * Why the installation does not read a repository, which only it can tell; the schemas have judged everything
 * else. Names are judged when they are resolved, which is when they are connected to; here only what is an
 * address by itself.
 */
export function repositoryProblem(
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
