import { createHash } from 'node:crypto';
import type { GitCredentials } from './git-credentials.ts';
import type { Repositories } from './repositories.ts';

/** A page that is looked at by several, or loaded again, does not ask the host each time. */
const KEPT_MILLISECONDS = 10_000;
const ANSWERS_MAX = 100;
/** Of a repository with more, the answer is given once: it would take much memory. */
const BRANCHES_KEPT_MAX = 2_000;

type Kept = { until: number; answer: Promise<unknown> };

/**
 * Asks for branches and histories once within some seconds, whoever asks: an answer is given again to the
 * same question with the same token alone. Refusals too; files are never kept.
 */
export function askedBriefly(repositories: Repositories, now: () => number): Repositories {
  const kept = new Map<string, Kept>();
  const once = <T>(question: unknown[], credentials: GitCredentials | undefined, ask: () => Promise<T>) => {
    const key = keyOf(question, credentials);
    const found = kept.get(key);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the question says of which method it is
    if (found !== undefined && found.until > now()) return found.answer as Promise<T>;
    const answer = ask();
    kept.delete(key);
    kept.set(key, { until: now() + KEPT_MILLISECONDS, answer });
    const [oldest] = kept.keys();
    if (kept.size > ANSWERS_MAX && oldest !== undefined) kept.delete(oldest);
    return answer;
  };
  return {
    async branches(repoUrl, credentials) {
      const question = ['branches', repoUrl];
      const seen = await once(question, credentials, () => repositories.branches(repoUrl, credentials));
      if (seen !== undefined && seen.commits.size > BRANCHES_KEPT_MAX)
        kept.delete(keyOf(question, credentials));
      return seen;
    },
    history: (repoUrl, asked, credentials) =>
      once(['history', repoUrl, asked.ref, asked.since ?? null, asked.limit], credentials, () =>
        repositories.history(repoUrl, asked, credentials),
      ),
    files: repositories.files,
  };
}

/** Tokens are in it as hashes alone. */
const keyOf = (question: unknown[], credentials: GitCredentials | undefined): string =>
  createHash('sha256')
    .update(JSON.stringify([question, credentials?.host, credentials?.user, credentials?.token]))
    .digest('base64');
