/** The kinds of git hosts. `gitea` stands for Forgejo too. */
export const integrationTypes = ['github', 'gitlab', 'gitea', 'bitbucket'] as const;
export type IntegrationType = (typeof integrationTypes)[number];

/** The user name that a host wants beside a token. Hosts without an entry accept any. */
export const tokenUsers: Partial<Record<IntegrationType, string>> = { bitbucket: 'x-token-auth' };
