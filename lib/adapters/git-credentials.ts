/**
 * What opens repositories of one https host (`github.com`, `git.example:8443`). It goes to the deployment's
 * own repository, and to other repositories of that host only as `submodules`.
 */
export type GitCredentials = { host: string; token: string; submodules: boolean; user?: string | undefined };

/** A header for requests to whatever lies at or below these addresses, and to nothing else. */
export type GitAccess = { addresses: string[]; authorization: string };

/** Most hosts that check tokens do not look at the user's name, but ask for one. */
const USER = 'x-access-token';

const basic = ({ token, user = USER }: GitCredentials): string =>
  `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;

/** For the requests that are about this repository; undefined when the token is not for its host. */
export function repositoryAccess(
  repoUrl: string,
  credentials: GitCredentials | undefined,
): GitAccess | undefined {
  if (credentials === undefined || !URL.canParse(repoUrl)) return undefined;
  const { protocol, host } = new URL(repoUrl);
  if (protocol !== 'https:' || host.toLowerCase() !== credentials.host) return undefined;
  return { addresses: spellingsOf(repoUrl), authorization: basic(credentials) };
}

/** With and without `.git`: Git LFS asks below the one that ends so, however the repository was named. */
function spellingsOf(repoUrl: string): string[] {
  if (new URL(repoUrl).pathname === '/') return [repoUrl];
  const plain = repoUrl.replace(/\/+$/, '').replace(/(?<=[^/])\.git$/, '');
  return [plain, `${plain}.git`];
}

/** For the submodules of a repository, which its authors choose; undefined when they do not get the token. */
export function submoduleAccess(credentials: GitCredentials | undefined): GitAccess | undefined {
  if (credentials?.submodules !== true) return undefined;
  return { addresses: [`https://${credentials.host}/`], authorization: basic(credentials) };
}
