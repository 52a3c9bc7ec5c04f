import type { GitHost } from './integration.ts';

/** What a token must be allowed to do, by the words of its host. */
type TokenScope = {
  /** As the host's own page and its API call it. */
  name: string;
  /** What Slipway does with it. */
  purpose: string;
  /** Without it deployments work, and only this does not. */
  isOptional?: true;
};

/** What a person needs to know to connect a kind of host. */
type HostGuide = {
  type: GitHost;
  title: string;
  /** Where everybody has the same host; undefined: each installation has one of its own. */
  host: string | undefined;
  /** What kind of token it is called there. */
  token: string;
  scopes: readonly TokenScope[];
  /** How a token is made, one sentence a step; the first goes with the link. */
  tokenSteps: readonly string[];
  /** How deliveries are set up in the settings of a repository, after the address was copied. */
  webhookSteps: readonly string[];
  /** The page that makes a token, with what is needed filled in where the host can do that. */
  tokenUrl: (host: string) => string;
  /** The page with the webhooks of a repository (`https://host/owner/name`). */
  webhookUrl: (repository: string) => string;
};

const query = (values: Record<string, string>): string => new URLSearchParams(values).toString();

const gitHub: HostGuide = {
  type: 'github',
  title: 'GitHub',
  host: 'github.com',
  token: 'fine-grained personal access token',
  scopes: [
    { name: 'Contents: read', purpose: 'fetch the source' },
    { name: 'Metadata: read', purpose: 'list repositories' },
    {
      name: 'Commit statuses: read and write',
      purpose: 'show on a commit whether it was deployed',
      isOptional: true,
    },
  ],
  tokenSteps: [
    'Open the page for a new token. Name and permissions are filled in.',
    'Choose who owns the repositories, and which of them the token may read.',
    'Generate the token and paste it here. An organization may have to approve it first.',
  ],
  webhookSteps: [
    'In the repository or the organization open Settings, Webhooks, Add webhook.',
    'Paste the address, and choose the content type application/json.',
    'Paste the secret, keep "Just the push event", and add the webhook.',
  ],
  tokenUrl: (host) =>
    `https://${host}/settings/personal-access-tokens/new?${query({
      name: 'Slipway',
      description: 'Reads the repositories that Slipway deploys',
      contents: 'read',
      statuses: 'write',
    })}`,
  webhookUrl: (repository) => `${repository}/settings/hooks/new`,
};

const gitLab: HostGuide = {
  type: 'gitlab',
  title: 'GitLab',
  host: 'gitlab.com',
  token: 'access token of a person, a group or a project',
  scopes: [
    { name: 'read_repository', purpose: 'fetch the source' },
    { name: 'read_api', purpose: 'list projects' },
    {
      name: 'api',
      purpose: 'show on a commit whether it was deployed; it includes read_api',
      isOptional: true,
    },
  ],
  tokenSteps: [
    'Open the page for a new token. Its name and scopes are filled in.',
    'A token of a group or a project outlives the person who makes it: find it under Settings, Access tokens. Its role is Developer.',
    'Create the token and paste it here.',
  ],
  webhookSteps: [
    'In the project open Settings, Webhooks, Add new webhook.',
    'Paste the address, and the secret as "Secret token".',
    'Choose "Push events" and add the webhook.',
  ],
  tokenUrl: (host) =>
    `https://${host}/-/user_settings/personal_access_tokens?${query({
      name: 'Slipway',
      scopes: 'api,read_repository',
    })}`,
  webhookUrl: (repository) => `${repository}/-/hooks`,
};

const gitea: HostGuide = {
  type: 'gitea',
  title: 'Gitea or Forgejo',
  host: undefined,
  token: 'access token',
  scopes: [
    { name: 'read:repository', purpose: 'fetch the source' },
    { name: 'read:user', purpose: 'list repositories' },
    {
      name: 'write:repository',
      purpose: 'show on a commit whether it was deployed; it includes read:repository',
      isOptional: true,
    },
  ],
  tokenSteps: [
    'Open Settings, Applications and find "Manage Access Tokens".',
    'Name the token, and give it the permissions "repository" and "user".',
    'Generate the token and paste it here.',
  ],
  webhookSteps: [
    'In the repository open Settings, Webhooks, Add Webhook, and choose Gitea or Forgejo.',
    'Paste the address as target URL. Method and content type stay POST and application/json.',
    'Paste the secret, keep "Push Events", and add the webhook.',
  ],
  tokenUrl: (host) => `https://${host}/user/settings/applications`,
  webhookUrl: (repository) => `${repository}/settings/hooks`,
};

const bitbucket: HostGuide = {
  type: 'bitbucket',
  title: 'Bitbucket Cloud',
  host: 'bitbucket.org',
  token: 'access token of a repository, a project or a workspace',
  scopes: [
    { name: 'repository', purpose: 'fetch the source' },
    {
      name: 'repository:write',
      purpose: 'show on a commit whether it was deployed; it includes repository',
      isOptional: true,
    },
  ],
  tokenSteps: [
    'In the repository, project or workspace open Settings, Access tokens, Create access token.',
    'Name the token, and choose Repositories: Read, or Write for statuses of commits.',
    'Create the token and paste it here. It is shown once.',
  ],
  webhookSteps: [
    'In the repository open Repository settings, Webhooks, Add webhook.',
    'Paste the address, and the secret.',
    'Keep "Repository push" and save.',
  ],
  tokenUrl: (host) => `https://${host}/account/workspaces/`,
  webhookUrl: (repository) => `${repository}/admin/webhooks`,
};

/** What is known of each kind of host, in the order in which they are offered. */
export const hostGuides: Readonly<Record<GitHost, HostGuide>> = {
  github: gitHub,
  gitlab: gitLab,
  gitea,
  bitbucket,
};
