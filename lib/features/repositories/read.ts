import { SourceError } from '../../adapters/git.ts';
import { type GitCredentials, repositoryAccess } from '../../adapters/git-credentials.ts';
import type { SeenCommit } from '../../adapters/repositories.ts';
import { refuse, ValidationError } from '../../contract/errors.ts';
import { maskSecrets } from '../../contract/mask.ts';
import { describeCommit } from '../../core/commit-words.ts';
import type { Deps } from '../../core/deps.ts';
import { credentialsIn } from '../../core/git-credentials.ts';
import { findIntegration } from '../../core/items/integrations.ts';
import { repositoryProblem } from '../../core/repository-address.ts';

export type ReadDeps = Pick<Deps, 'table' | 'keys' | 'repositories' | 'settings'>;

/** What opens a repository that a request names. Throws 404 for an integration that is not the tenant's, and 422. */
export async function accessTo(
  deps: ReadDeps,
  tenantId: string,
  { repo_url: input, integration_id: id }: { repo_url: string; integration_id?: string | undefined },
): Promise<GitCredentials | undefined> {
  const problem = repositoryProblem(input, deps.settings);
  if (problem !== undefined)
    throw new ValidationError([
      { loc: ['query', 'repo_url'], type: 'value_error', msg: `Value error, ${problem}`, input },
    ]);
  if (id === undefined) return undefined;
  const integration = await findIntegration(deps.table, tenantId, id);
  if (integration === undefined) throw refuse('integration_not_found', { id });
  return credentialsIn(deps, integration);
}

const BEHIND_SSH = 'This installation reads repositories over https alone. A build reads this one over ssh.';

/** What may be in the way of reading a repository: no token, or one of another host. */
function tokenHint(repoUrl: string, credentials: GitCredentials | undefined): string {
  if (credentials === undefined) return ' If it is private, choose an integration whose token may read it.';
  return repositoryAccess(repoUrl, credentials) === undefined
    ? ` It was read without a token, for the integration is of ${credentials.host}. If it is private, choose one of its own host.`
    : '';
}

type Read<T> = { seen: T; problem?: never } | { seen?: never; problem: string };

/** What was read of a repository, or why it could not be, as sentences. A server may say again what it was sent. */
export async function reading<T>(
  repoUrl: string,
  credentials: GitCredentials | undefined,
  read: () => Promise<T | undefined>,
): Promise<Read<T>> {
  try {
    const seen = await read();
    return seen === undefined ? { problem: BEHIND_SSH } : { seen };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const hint = error.message.includes(' cannot be read: ') ? tokenHint(repoUrl, credentials) : '';
    const said = maskSecrets(error.message, credentials === undefined ? [] : [credentials.token]);
    return { problem: `${said}.${hint}` };
  }
}

/** A commit as answers show it; `mask` takes out what must not be seen. */
export function commitViewOf(commit: SeenCommit, mask: (text: string) => string = (text) => text) {
  const { sha, message, author, at } = commit;
  const said = describeCommit({ message: mask(message), author: mask(author), at });
  return { sha, message: said?.message ?? null, author: said?.author ?? null, at: said?.at ?? null };
}
