import { Errors, listServerRefs } from 'isomorphic-git';
import { type AskedCommit, type CommitLook, type Git, nothingSeen, SourceError } from '../git.ts';
import { type GitCredentials, repositoryAccess } from '../git-credentials.ts';
import { commitOf, missingRef, noAnswer, objectIdOf, refName, unreadable } from '../git-errors.ts';
import type { GuardedFetch } from '../outbound/guarded-fetch.ts';
import { createGitHttp, type GitHttp, HttpRefused } from './git-http.ts';
import type { LookServer } from './git-pack.ts';

/** A reachable server answers in a second or two, and the function that asks ends before long. */
const RESOLVE_TIMEOUT_SECONDS = 20;

/** Hosts of repositories wait some ten seconds for an answer to their deliveries. */
const LOOK_TIMEOUT_SECONDS = 5;

type Options = {
  timeoutSeconds?: number;
  fetch: GuardedFetch;
  /** Absent, for functions that only resolve refs: nothing is seen of commits. */
  lookAt?: (server: LookServer, asked: AskedCommit) => Promise<CommitLook>;
};

type Asking = { fetch: GuardedFetch; timeoutSeconds: number; credentials: GitCredentials | undefined };

/**
 * Asks the server of a repository; undefined where that is behind ssh. Throws SourceError for whatever the
 * server does not do. `reasonOf`: says why in words; undefined for errors of our own.
 */
export async function askServer<T>(
  repoUrl: string,
  { fetch, timeoutSeconds, credentials }: Asking,
  ask: (server: Server) => Promise<T>,
  reasonOf: (error: unknown) => string | undefined = serverReason,
): Promise<T | undefined> {
  if (!repoUrl.startsWith('https:')) return undefined;
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  const http = createGitHttp(fetch, signal);
  const authorization = repositoryAccess(repoUrl, credentials)?.authorization;
  try {
    return await ask({ http, url: repoUrl, ...(authorization && { headers: { authorization } }) });
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const reason = signal.aborted ? noAnswer(timeoutSeconds) : reasonOf(error);
    throw reason === undefined ? error : new SourceError(unreadable(repoUrl, reason));
  }
}

/** Resolves refs over smart HTTP, without git; repositories behind ssh are refused by the build. */
export function createHttpGit({ timeoutSeconds = RESOLVE_TIMEOUT_SECONDS, fetch, lookAt }: Options): Git {
  const asking = <T>(
    repoUrl: string,
    credentials: GitCredentials | undefined,
    ask: (server: Server) => Promise<T>,
  ) => askServer(repoUrl, { fetch, timeoutSeconds, credentials }, ask);
  return {
    async resolve(repoUrl, ref, credentials) {
      const commit = commitOf(ref);
      if (commit !== undefined) return commit;
      return asking(repoUrl, credentials, (server) => findCommit(server, ref));
    },
    heads: (repoUrl, branches, credentials) =>
      asking(repoUrl, credentials, (server) => findHeads(server, branches)),
    async look(repoUrl, asked, credentials) {
      if (lookAt === undefined || !repoUrl.startsWith('https:')) return nothingSeen;
      const signal = AbortSignal.timeout(LOOK_TIMEOUT_SECONDS * 1000);
      const authorization = repositoryAccess(repoUrl, credentials)?.authorization;
      const headers = authorization === undefined ? {} : { authorization };
      const server = { http: createGitHttp(fetch, signal), url: repoUrl, headers };
      // Whatever is in the way, the push is built.
      return lookAt(server, asked).catch(() => nothingSeen);
    },
  };
}

/** One branch is asked for by its name; of more, all are listed: still one request. */
async function findHeads(server: Server, branches: readonly string[]): Promise<Map<string, string>> {
  const [only] = branches;
  const prefix = branches.length === 1 && only !== undefined ? refName(only) : refName('');
  const refs = new Map((await listRefs({ ...server, prefix })).map(({ ref, oid }) => [ref, oid]));
  return new Map(
    branches.flatMap((branch): [string, string][] => {
      const oid = refs.get(refName(branch));
      return oid === undefined ? [] : [[branch, objectIdOf(server.url, oid)]];
    }),
  );
}

export type Server = { http: GitHttp; url: string; headers?: { authorization: string } };

/**
 * The refs below a prefix. Version 2 of the protocol wants to be told that a repository uses SHA-256, which
 * this client does not do, and finds none there; version 1 says it itself.
 */
export async function listRefs(
  asked: Parameters<typeof listServerRefs>[0],
): ReturnType<typeof listServerRefs> {
  const refs = await listServerRefs(asked);
  return refs.length > 0 ? refs : listServerRefs({ ...asked, protocolVersion: 1 });
}

export async function findCommit(server: Server, ref: string): Promise<string> {
  const { url } = server;
  const name = refName(ref);
  const list = (prefix?: string) => listRefs({ ...server, peelTags: true, ...(prefix && { prefix }) });
  const found = (await list(name)).find((each) => each.ref === name);
  // An annotated tag is an object of its own; what it points to is `peeled`.
  if (found !== undefined) return objectIdOf(url, found.peeled ?? found.oid);
  throw new SourceError(missingRef(url, ref, new Set((await list()).map((each) => each.ref))));
}

/** Why the repository cannot be read; undefined for errors of our own. */
export function serverReason(error: unknown): string | undefined {
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
