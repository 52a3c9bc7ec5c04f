/** Kinds of hosts by the names that everybody uses. */
const PUBLIC_HOSTS = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
  'codeberg.org': 'gitea',
} as const;
export type HostKind = 'github' | 'gitlab' | 'gitea' | 'bitbucket';

/** Addresses of pages; `{sha}`, `{branch}`, `{from}` and `{to}` stand for what is shown. */
export type RepositoryPages = { commit: string; branch: string; compare: string };

const pathsOf: Record<HostKind, RepositoryPages> = {
  github: { commit: 'commit/{sha}', branch: 'tree/{branch}', compare: 'compare/{from}...{to}' },
  gitlab: { commit: '-/commit/{sha}', branch: '-/tree/{branch}', compare: '-/compare/{from}...{to}' },
  gitea: { commit: 'commit/{sha}', branch: 'src/branch/{branch}', compare: 'compare/{from}...{to}' },
  // It names the newer one first.
  bitbucket: {
    commit: 'commits/{sha}',
    branch: 'branch/{branch}',
    compare: 'branches/compare/{to}%0D{from}',
  },
};

const SCP_ADDRESS = /^[^/@:]+@([^/:]+):(.+)$/;

/** The web address of a repository, without `.git`; undefined for what is on no web server. */
function baseOf(repoUrl: string): { host: string; base: string } | undefined {
  const [, scpHost, scpPath] = repoUrl.includes('://') ? [] : (SCP_ADDRESS.exec(repoUrl) ?? []);
  const address = scpHost === undefined ? repoUrl : `https://${scpHost}/${scpPath}`;
  if (!URL.canParse(address)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(address);
  if (protocol !== 'https:' && protocol !== 'ssh:') return undefined;
  const path = pathname
    .split('/')
    .filter((part) => part !== '')
    .join('/')
    .replace(/(?<=[^/])\.git$/i, '');
  // A port of ssh is none of the web server's.
  const web = protocol === 'https:' ? host : hostname;
  return path === '' ? undefined : { host: web.toLowerCase(), base: `https://${web}/${path}` };
}

/**
 * The pages that the host of a repository has of it. `known`: the kind of a host that a tenant has an
 * integration with. Undefined where the kind of the host is not known.
 */
export function repositoryPages(
  repoUrl: string,
  known?: { host: string; type: HostKind },
): RepositoryPages | undefined {
  const found = baseOf(repoUrl);
  if (found === undefined) return undefined;
  const { host, base } = found;
  const kinds: Readonly<Record<string, HostKind>> = PUBLIC_HOSTS;
  const kind = known?.host === host ? known.type : Object.hasOwn(kinds, host) ? kinds[host] : undefined;
  if (kind === undefined) return undefined;
  const { commit, branch, compare } = pathsOf[kind];
  return { commit: `${base}/${commit}`, branch: `${base}/${branch}`, compare: `${base}/${compare}` };
}
