import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type GitAccess, repositoryAccess, submoduleAccess } from '../../../adapters/git-credentials.ts';
import { initFor, isObjectId, refName } from '../../../adapters/git-errors.ts';
import { BuildFailure } from '../../failure.ts';
import { fetchLfsFiles, lfsPull } from '../../lfs.ts';
import type { Job } from '../job.ts';
import { inNetwork, type Machine } from '../machine.ts';
import { say } from '../report.ts';
import { bareEnvironment, type Command, lastLine, type Ran, run } from '../run.ts';

type GitSource = Extract<Job['source'], { kind: 'git' }>;
type Git = (args: string[], access?: GitAccess, output?: Command['output']) => Promise<Ran>;

/**
 * Puts one commit of a repository into the source folder, and reports it. Throws BuildFailure when it cannot
 * be had.
 */
export async function fetchCommit(machine: Machine, source: GitSource): Promise<void> {
  const { repoUrl: url, ref, commitSha, credentials } = source;
  machine.step = 'clone';
  if (!url.startsWith('https://'))
    throw new BuildFailure(`Repository ${url} cannot be read: builds read repositories over https only`);
  say(`Cloning ${url} at ${ref}${commitSha === undefined ? '' : ` (commit ${commitSha})`}`);
  const access = repositoryAccess(url, credentials);
  const masked = valuesOf(credentials?.token, access, submoduleAccess(credentials));
  const git: Git = (args, given, output = 'shown') => runGit(machine, args, given, { output, masked });
  if (commitSha !== undefined && !isObjectId(commitSha))
    throw new BuildFailure(`'${commitSha}' is not a commit`);
  const fetching = { git, url, access };
  await must(url, git(initFor(commitSha ?? (await advertised(fetching, ref)))));
  await must(url, git(['remote', 'add', 'origin', url]));
  const commit = commitSha ?? (await fetchRef(fetching, ref));
  if (commitSha !== undefined) await fetchExactly(fetching, commitSha);
  // Without the token: nothing of the repository is fetched or filtered by this.
  const checkout = await git(['checkout', '--quiet', '--detach', commit, '--']);
  if (checkout.code !== 0) throw new BuildFailure(`Commit ${commit} cannot be checked out of ${url}`);
  machine.report.commit(commit);
  await fetchSubmodules(machine, git, source);
  await fetchLfsFiles(machine.source, {
    isInstalled: async () => (await git(['lfs', 'version'], undefined, 'hidden')).code === 0,
    async pull(place) {
      const own = place === 'repository' ? access : submoduleAccess(credentials);
      const { code, output } = await git(lfsPull(place), own);
      return code === 0 ? undefined : (lastLine(output, /\S/)?.trim() ?? 'it says no reason');
    },
    say: (text, level) => say(level === undefined ? text : `${level}: ${text}`),
  });
}

/** What no line of the log may show: the token, and the header that it is sent in. */
const valuesOf = (token: string | undefined, ...accesses: (GitAccess | undefined)[]): string[] => [
  ...(token === undefined ? [] : [token]),
  ...accesses.flatMap((access) => access?.authorization.replace(/^Basic /, '') ?? []),
];

/** An allowed address must not lead to another one, and nothing that a repository brings is run. */
const SAFE: [string, string][] = [
  ['http.followRedirects', 'false'],
  ['core.hooksPath', '/dev/null'],
];

/**
 * Nothing of this machine's configuration or credentials reaches git, and no protocol but https. The authors
 * of a repository choose where its submodules are, so it is shut in as the build is.
 */
function runGit(
  machine: Machine,
  args: string[],
  access: GitAccess | undefined,
  shown: Pick<Command, 'output' | 'masked'>,
): Promise<Ran> {
  const { source, home } = machine;
  const header = `Authorization: ${access?.authorization}`;
  const settings = [
    ...SAFE,
    ...(access?.addresses ?? []).map((address): [string, string] => [`http.${address}.extraHeader`, header]),
  ];
  const numbered = settings.flatMap(([key, value], number): [string, string][] => [
    [`GIT_CONFIG_KEY_${number}`, key],
    [`GIT_CONFIG_VALUE_${number}`, value],
  ]);
  const env = {
    ...bareEnvironment(home),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'https',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(numbered),
  };
  return run(...inNetwork(machine, 'git', ['-C', source, ...args]), { env, cwd: source, ...shown });
}

type Fetching = { git: Git; url: string; access: GitAccess | undefined };

const FETCH = ['fetch', '--quiet', '--no-tags'];
const ALL = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];

/** Servers that hand out only heads refuse a single commit: then all branches and tags are fetched. */
async function fetchExactly({ git, url, access }: Fetching, commit: string): Promise<void> {
  const exact = await git([...FETCH, '--depth=1', 'origin', commit], access);
  if (exact.code === 0) return;
  const refused = /not our ref|unadvertised object|does not allow request|couldn't find remote ref/i;
  if (!refused.test(exact.output)) throw unreadable(url, exact);
  say('The server hands out no single commits; fetching all branches and tags');
  await must(url, git([...FETCH, 'origin', ...ALL], access));
}

/** The object that a ref is, before there is a repository to fetch it into; empty when it is not there. */
async function advertised({ git, url, access }: Fetching, ref: string): Promise<string> {
  const listed = await git(['ls-remote', '--', url, refName(ref)], access, 'read');
  return /^[0-9a-f]*/.exec(listed.output)?.[0] ?? '';
}

/** The commit that a branch, or a full name such as refs/tags/v1, stands for. */
async function fetchRef({ git, url, access }: Fetching, ref: string): Promise<string> {
  const wanted = `+${refName(ref)}:refs/slipway/source`;
  const fetched = await git([...FETCH, '--depth=1', 'origin', wanted], access);
  if (fetched.code !== 0) {
    if (!/couldn't find remote ref/i.test(fetched.output)) throw unreadable(url, fetched);
    throw new BuildFailure(`Ref '${ref}' of ${url} cannot be resolved to a commit`);
  }
  const parsed = await git(
    ['rev-parse', '--verify', '--quiet', 'refs/slipway/source^{commit}'],
    undefined,
    'read',
  );
  if (parsed.code !== 0) throw new BuildFailure(`Ref '${ref}' of ${url} is not a commit`);
  return parsed.output.trim();
}

/** Whoever writes to the repository chooses them: they get the token only when the integration says so. */
async function fetchSubmodules(machine: Machine, git: Git, { credentials }: GitSource): Promise<void> {
  if (!existsSync(join(machine.source, '.gitmodules'))) return;
  say('Fetching submodules');
  const args = ['submodule', '--quiet', 'update', '--init', '--recursive', '--depth=1'];
  const { code } = await git(args, submoduleAccess(credentials));
  if (code !== 0) say('WARNING: the submodules are incomplete; the build continues without them');
}

async function must(url: string, running: Promise<Ran>): Promise<void> {
  const ran = await running;
  if (ran.code !== 0) throw unreadable(url, ran);
}

function unreadable(url: string, { output }: Ran): BuildFailure {
  const said = lastLine(output, /^(fatal|error|remote): /)?.replace(/^[a-z]+: /, '');
  return new BuildFailure(`Repository ${url} cannot be read${said === undefined ? '' : `: ${said}`}`);
}
