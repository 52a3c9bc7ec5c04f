import { Errors, listServerRefs } from 'isomorphic-git';
import { type Git, SourceError } from '../git.ts';
import { repositoryAccess } from '../git-credentials.ts';
import { commitOf, missingRef, noAnswer, objectIdOf, refName, unreadable } from '../git-errors.ts';
import type { GuardedFetch } from '../outbound/guarded-fetch.ts';
import { createGitHttp, type GitHttp, HttpRefused } from './git-http.ts';

/** A reachable server answers in a second or two, and the function that asks ends before long. */
const RESOLVE_TIMEOUT_SECONDS = 20;

type Options = { timeoutSeconds?: number; fetch: GuardedFetch };

/** Resolves refs over smart HTTP, without git; repositories behind ssh are refused by the build. */
export function createHttpGit({ timeoutSeconds = RESOLVE_TIMEOUT_SECONDS, fetch }: Options): Git {
  return {
    async resolve(repoUrl, ref, credentials) {
      const commit = commitOf(ref);
      if (commit !== undefined) return commit;
      if (!repoUrl.startsWith('https:')) return undefined;
      const signal = AbortSignal.timeout(timeoutSeconds * 1000);
      const http = createGitHttp(fetch, signal);
      const authorization = repositoryAccess(repoUrl, credentials)?.authorization;
      try {
        return await findCommit(
          { http, url: repoUrl, ...(authorization && { headers: { authorization } }) },
          ref,
        );
      } catch (error) {
        if (error instanceof SourceError) throw error;
        const reason = signal.aborted ? noAnswer(timeoutSeconds) : reasonOf(error);
        throw reason === undefined ? error : new SourceError(unreadable(repoUrl, reason));
      }
    },
  };
}

type Server = { http: GitHttp; url: string; headers?: { authorization: string } };

async function findCommit(server: Server, ref: string): Promise<string> {
  const { url } = server;
  const name = refName(ref);
  const list = (prefix?: string) => listServerRefs({ ...server, peelTags: true, ...(prefix && { prefix }) });
  const found = (await list(name)).find((each) => each.ref === name);
  // An annotated tag is an object of its own; what it points to is `peeled`.
  if (found !== undefined) return objectIdOf(url, found.peeled ?? found.oid);
  throw new SourceError(missingRef(url, ref, new Set((await list()).map((each) => each.ref))));
}

/** Why the repository cannot be read; undefined for errors of our own. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof HttpRefused) return error.message;
  if (error instanceof Errors.HttpError) return statusReason(error.data.statusCode);
  if (error instanceof Errors.SmartHttpError || error instanceof Errors.ParseError) {
    return 'the server does not answer as a git server does';
  }
  return undefined;
}

function statusReason(status: number): string {
  if (status === 401 || status === 403)
    return `the server asks for credentials (HTTP ${status}): it is private or does not exist`;
  return status === 404
    ? 'there is no repository at this address (HTTP 404)'
    : `the server answered HTTP ${status}`;
}
