import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitCredentials, repositoryAccess, submoduleAccess } from '../../adapters/git-credentials.ts';
import { initFor } from '../../adapters/git-errors.ts';
import { BuildFailure } from '../../builds/failure.ts';
import { fetchLfsFiles, lfsPull } from '../../builds/lfs.ts';
import { isOnPath } from '../../builds/project.ts';
import type { Processes } from '../../processes/run-command.ts';
import { type GitResult, gitEnvironment, gitReason, runGit } from '../git/run-git.ts';
import type { BuildLog } from './build-log.ts';

export type FetchRequest = {
  repoUrl: string;
  commitSha: string;
  credentials?: GitCredentials | undefined;
  /** An empty folder. */
  folder: string;
  log: BuildLog;
  signal: AbortSignal;
};

type Run = (...args: string[]) => Promise<GitResult>;

/**
 * Puts exactly one commit into the folder, without history. Servers that hand out only branch and tag heads
 * refuse that: then all branches and tags are fetched. Throws BuildFailure when the commit cannot be had.
 */
export async function fetchCommit(processes: Processes, request: FetchRequest): Promise<void> {
  const { repoUrl, commitSha, folder, log, signal, credentials } = request;
  const onLine = (line: Parameters<BuildLog['output']>[0]) => log.output(line);
  const own = repositoryAccess(repoUrl, credentials);
  const run: Run = (...args) => runGit(processes, { args, cwd: folder, signal, onLine, access: own });
  await must(repoUrl, run(...initFor(commitSha)));
  await must(repoUrl, run('remote', 'add', '--', 'origin', repoUrl));
  const exact = await run('fetch', '--quiet', '--depth=1', '--no-tags', 'origin', commitSha);
  if (exact.exit.code !== 0) {
    if (!refusesCommit(exact)) throw unreadable(repoUrl, exact);
    log.say('The server hands out no single commits; fetching all branches and tags', 'WARNING');
    const all = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
    await must(repoUrl, run('fetch', '--quiet', '--no-tags', 'origin', ...all));
  }
  const checkout = await run('checkout', '--quiet', '--detach', commitSha, '--');
  if (checkout.exit.code !== 0) {
    throw new BuildFailure(`Commit ${commitSha} cannot be checked out of ${repoUrl}: ${gitReason(checkout)}`);
  }
  await fetchSubmodules(processes, request);
  await fetchLfsFiles(folder, {
    isInstalled: () => isOnPath('git-lfs', gitEnvironment().PATH ?? ''),
    async pull(place) {
      const args = lfsPull(place);
      const pulled =
        place === 'repository' ? await run(...args) : await inSubmodules(processes, request, args);
      return pulled.exit.code === 0 ? undefined : gitReason(pulled);
    },
    say: (text, level) => log.say(text, level),
  });
}

/** Builds may ask git for their commit; what is deployed carries no history and no configuration of git. */
export async function forgetHistory(folder: string): Promise<void> {
  await rm(join(folder, '.git'), { recursive: true, force: true, maxRetries: 5 });
}

async function must(repoUrl: string, running: Promise<GitResult>): Promise<void> {
  const result = await running;
  if (result.exit.code !== 0) throw unreadable(repoUrl, result);
}

function unreadable(repoUrl: string, result: GitResult): BuildFailure {
  return new BuildFailure(`Repository ${repoUrl} cannot be read: ${gitReason(result)}`);
}

function refusesCommit({ stderr }: GitResult): boolean {
  return /not our ref|unadvertised object|does not allow request|couldn't find remote ref/i.test(
    stderr.join('\n'),
  );
}

/**
 * Runs git for what submodules have. A repository from elsewhere must not make us read repositories of this
 * machine: `file:` only when it is one of them itself.
 */
function inSubmodules(
  processes: Processes,
  { repoUrl, folder, log, signal, credentials }: FetchRequest,
  args: string[],
): Promise<GitResult> {
  const protocols = repoUrl.startsWith('file:') ? ['https', 'ssh', 'file'] : ['https', 'ssh'];
  const onLine = (line: Parameters<BuildLog['output']>[0]) => log.output(line);
  const command = { args, cwd: folder, signal, protocols, onLine, access: submoduleAccess(credentials) };
  return runGit(processes, command);
}

async function fetchSubmodules(processes: Processes, request: FetchRequest): Promise<void> {
  const { folder, log } = request;
  const present = await access(join(folder, '.gitmodules')).then(
    () => true,
    () => false,
  );
  if (!present) return;
  log.say('Fetching submodules');
  const args = ['submodule', '--quiet', 'update', '--init', '--recursive', '--depth=1'];
  const result = await inSubmodules(processes, request, args);
  if (result.exit.code === 0) return;
  log.say(`The submodules are incomplete, the build goes on without: ${gitReason(result)}`, 'WARNING');
}
