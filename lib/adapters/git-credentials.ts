/** What opens repositories of one https host (`github.com`, `git.example:8443`). It goes to that host and to no other. */
export type GitCredentials = { host: string; token: string };

/** Hosts that check tokens do not look at the user's name, but ask for one. */
const USER = 'x-access-token';

/** The header of requests that are about this repository; undefined when the token is not for its host. */
export function authorizationFor(
  repoUrl: string,
  credentials: GitCredentials | undefined,
): string | undefined {
  if (credentials === undefined || !URL.canParse(repoUrl)) return undefined;
  const { protocol, host } = new URL(repoUrl);
  if (protocol !== 'https:' || host.toLowerCase() !== credentials.host) return undefined;
  return `Basic ${Buffer.from(`${USER}:${credentials.token}`).toString('base64')}`;
}
