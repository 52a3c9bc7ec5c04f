import type { Listed } from '../../lib/client/endpoints.ts';

export type Integration = Listed<'GET /v2/integrations'>;
export type GitHost = Integration['type'];
export type Delivery = Listed<'GET /v2/integrations/{integration_id}/deliveries'>;

export const gitHosts = [
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['gitea', 'Gitea or Forgejo'],
  ['bitbucket', 'Bitbucket'],
] as const;

export const gitHostWord = (type: GitHost): string => gitHosts.find(([each]) => each === type)?.[1] ?? type;

/** Where the host of an integration is told to send pushes to. */
export const pushAddress = ({ type, id }: Pick<Integration, 'type' | 'id'>, url: string): string =>
  `${url}/v1/integrations/${type}/${id}/webhook`;

/** `refs/heads/main` as people say it. */
export const branchOf = (ref: string | null): string | null =>
  ref && ref.replace(/^refs\/(?:heads|tags)\//, '');
