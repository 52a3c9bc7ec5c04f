import { type Git, SourceError } from '../adapters/git.ts';
import { type GitResult, gitReason, runGit } from './git/run-git.ts';
import type { Processes } from './run-command.ts';

/** A reachable server answers in a second or two; a revision should not wait for one that is not. */
const RESOLVE_TIMEOUT_SECONDS = 30;
const SHOWN_BRANCHES_MAX = 10;

const commitPattern = /^[0-9a-f]{40}$/i;

/** Resolves refs with the system's git, so whatever the user can clone works here too. */
export function createSystemGit(processes: Processes, timeoutSeconds = RESOLVE_TIMEOUT_SECONDS): Git {
  return {
    async resolve(repoUrl, ref) {
      if (commitPattern.test(ref)) return ref.toLowerCase();
      const signal = AbortSignal.timeout(timeoutSeconds * 1000);
      const list = (patterns: string[]) => listRefs(processes, repoUrl, patterns, { signal, timeoutSeconds });
      const name = ref.startsWith('refs/') ? ref : `refs/heads/${ref}`;
      const refs = await list([name, `${name}^{}`]);
      // An annotated tag is an object of its own; the line with ^{} is the commit it points to.
      const commit = refs.get(`${name}^{}`) ?? refs.get(name);
      if (commit !== undefined) return commit;
      throw new SourceError(describeMissing(repoUrl, ref, await list([])));
    },
  };
}

type Limits = { signal: AbortSignal; timeoutSeconds: number };

/** The commits of all refs whose names end with one of `patterns` (none: all refs). */
async function listRefs(
  processes: Processes,
  repoUrl: string,
  patterns: string[],
  { signal, timeoutSeconds }: Limits,
): Promise<Map<string, string>> {
  // The root folder is in no repository, whose own configuration git would read.
  const command = { args: ['ls-remote', '--', repoUrl, ...patterns], cwd: '/', signal };
  const result = await runGit(processes, command).catch((error: unknown): GitResult => {
    if (!signal.aborted) throw error;
    const words = `no answer within ${timeoutSeconds} s`;
    return { exit: { code: 128, signal: null }, stdout: [], stderr: [words] };
  });
  if (result.exit.code !== 0)
    throw new SourceError(`Repository ${repoUrl} cannot be read: ${gitReason(result)}`);
  return new Map(
    result.stdout.map((line) => line.split('\t')).map(([commit = '', name = '']) => [name, commit]),
  );
}

function describeMissing(repoUrl: string, ref: string, refs: Map<string, string>): string {
  const branches = [...refs.keys()].filter((name) => name.startsWith('refs/heads/'));
  const names = branches.slice(0, SHOWN_BRANCHES_MAX).map((name) => name.slice('refs/heads/'.length));
  const more = branches.length > names.length ? ` and ${branches.length - names.length} more` : '';
  const there = names.length === 0 ? 'it has no branches' : `branches there: ${names.join(', ')}${more}`;
  const tag = refs.has(`refs/tags/${ref}`) ? `; a tag of that name is 'refs/tags/${ref}'` : '';
  return `Ref '${ref}' does not exist in ${repoUrl}; ${there}${tag}`;
}
