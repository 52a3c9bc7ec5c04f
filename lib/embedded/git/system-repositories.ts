import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Git, SourceError } from '../../adapters/git.ts';
import { type GitCredentials, repositoryAccess } from '../../adapters/git-credentials.ts';
import { initFor, isObjectId, noAnswer, unreadable } from '../../adapters/git-errors.ts';
import { commitsBetween, type Node, seenOf } from '../../adapters/history.ts';
import type { Repositories, SeenBranches, SeenFiles, SeenHistory } from '../../adapters/repositories.ts';
import type { Processes } from '../../processes/run-command.ts';
import { type GitResult, gitReason, runGit } from './run-git.ts';

/** A page waits for it. */
const TIMEOUT_SECONDS = 25;
/** Generations of a history that are fetched. */
const DEPTH = 50;
const PATHS_MAX = 20_000;
/** A file that says what a project is has no longer lines. */
const LINE_BYTES_MAX = 512 * 1024;
const BRANCH_PREFIX = 'refs/heads/';

type Parts = { processes: Processes; git: Pick<Git, 'resolve'>; timeoutSeconds?: number };

/** One repository, and git that is run for it: what is fetched lies in a folder that is removed afterwards. */
type Opened = {
  repoUrl: string;
  run: (...args: string[]) => Promise<GitResult>;
  /** The lines that git prints. Throws SourceError with git's own reason. */
  lines: (...args: string[]) => Promise<string[]>;
};

/** Reads repositories with the system's git, so whatever the user can clone is read here too. */
export function createSystemRepositories({
  processes,
  git,
  timeoutSeconds = TIMEOUT_SECONDS,
}: Parts): Repositories {
  const open = async <T>(
    repoUrl: string,
    credentials: GitCredentials | undefined,
    use: (opened: Opened) => Promise<T>,
  ): Promise<T> => {
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    const access = repositoryAccess(repoUrl, credentials);
    const cwd = await mkdtemp(join(tmpdir(), 'slipway-look-'));
    const run = (...args: string[]) =>
      runGit(processes, { args, cwd, signal, access, lineBytesMax: LINE_BYTES_MAX });
    const lines = async (...args: string[]) => {
      const result = await run(...args);
      if (result.exit.code === 0) return result.stdout;
      throw new SourceError(unreadable(repoUrl, gitReason(result)));
    };
    try {
      return await use({ repoUrl, run, lines });
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new SourceError(unreadable(repoUrl, noAnswer(timeoutSeconds)));
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
  };
  const headOf = async (repoUrl: string, ref: string, credentials: GitCredentials | undefined) =>
    (await git.resolve(repoUrl, ref, credentials)) ?? ref;
  return {
    branches: (repoUrl, credentials) => open(repoUrl, credentials, readBranches),
    history: async (repoUrl, asked, credentials) => {
      const head = await headOf(repoUrl, asked.ref, credentials);
      return open(repoUrl, credentials, (opened) => readHistory(opened, head, asked));
    },
    files: async (repoUrl, asked, credentials) => {
      const commit = await headOf(repoUrl, asked.ref, credentials);
      return open(repoUrl, credentials, (opened) => readFiles(opened, commit, asked.pick));
    },
  };
}

async function readBranches({ repoUrl, lines }: Opened): Promise<SeenBranches> {
  const found = await lines('ls-remote', '--symref', '--', repoUrl, 'HEAD', `${BRANCH_PREFIX}*`);
  const rows = found.map((line) => line.split('\t'));
  const [, target] =
    /^ref: refs\/heads\/(.+)$/.exec(rows.find(([, name]) => name === 'HEAD')?.[0] ?? '') ?? [];
  return {
    defaultBranch: target,
    commits: new Map(
      rows.flatMap(([commit = '', name = '']): [string, string][] =>
        name.startsWith(BRANCH_PREFIX) && isObjectId(commit)
          ? [[name.slice(BRANCH_PREFIX.length), commit]]
          : [],
      ),
    ),
  };
}

async function fetchInto({ repoUrl, lines }: Opened, filter: string, depth: number, ids: string[]) {
  await lines(
    'fetch',
    '--quiet',
    `--depth=${depth}`,
    '--no-tags',
    `--filter=${filter}`,
    '--',
    repoUrl,
    ...ids,
  );
}

/** What is between the fields of a line: no text of a commit has it, for git keeps none. */
const FORMAT = '%H%x00%P%x00%ct%x00%an%x00%aI%x00%s';

async function readHistory(
  opened: Opened,
  head: string,
  { since, limit }: Parameters<Repositories['history']>[1],
): Promise<SeenHistory> {
  await opened.lines(...initFor(head), '--bare');
  const fetch = (...ids: string[]) => fetchInto(opened, 'tree:0', DEPTH, ids);
  const isCompared = since !== undefined && since !== head && since.length === head.length;
  // After a forced push the host may have forgotten what serves.
  const both = isCompared
    ? await fetch(head, since).then(
        () => true,
        () => false,
      )
    : false;
  if (!both) await fetch(head);
  const ids = both && since !== undefined ? [head, since] : [head];
  const printed = await opened.lines('log', `--format=${FORMAT}`, ...ids, '--');
  const graph = new Map(printed.map(nodeIn).map((node) => [node.sha, node]));
  return commitsBetween(graph, { head, since, limit });
}

function nodeIn(line: string): Node {
  const [sha = '', parents = '', time = '', author = '', at = '', message = ''] = line.split('\0');
  return { sha, message, author, at, parents: parents.split(' ').filter(Boolean), time: Number(time) };
}

async function readFiles(
  opened: Opened,
  commit: string,
  pick: Parameters<Repositories['files']>[1]['pick'],
): Promise<SeenFiles> {
  await opened.lines(...initFor(commit), '--bare');
  await fetchInto(opened, 'blob:none', 1, [commit]);
  const [line = ''] = await opened.lines('log', '-1', `--format=${FORMAT}`, commit, '--');
  const files = filesIn(await opened.lines('-c', 'core.quotePath=false', 'ls-tree', '-r', commit));
  const paths = [...files.keys()];
  const picked = pick(paths).filter((path) => files.has(path));
  const texts = await textsOf(opened, commit, picked, files);
  return { commit: seenOf(nodeIn(line)), paths, texts };
}

/** Files by their paths, with their ids; those that lie higher first. Names that git quotes are left out. */
function filesIn(lines: string[]): Map<string, string> {
  const depthOf = (path: string) => path.split('/').length;
  const files = lines.flatMap((line): [string, string][] => {
    const [, mode, id = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/.exec(line) ?? [];
    return mode?.startsWith('100') && !path.startsWith('"') ? [[path, id]] : [];
  });
  return new Map(files.sort(([one], [other]) => depthOf(one) - depthOf(other)).slice(0, PATHS_MAX));
}

/** The texts of files, which are fetched at once where the server has left them out. */
async function textsOf(
  opened: Opened,
  commit: string,
  paths: readonly string[],
  files: ReadonlyMap<string, string>,
): Promise<Map<string, Uint8Array>> {
  if (paths.length === 0) return new Map();
  const ids = [...new Set(paths.flatMap((path) => files.get(path) ?? []))];
  await fetchInto(opened, 'blob:none', 1, ids);
  const places = paths.map((path) => `:(literal)${path}`);
  // One process for all of them. It ends with 1 where none of them has a line.
  const { stdout } = await opened.run('grep', '-I', '-z', '--no-color', '-e', '', commit, '--', ...places);
  const texts = new Map(paths.map((path): [string, string[]] => [path, []]));
  for (const line of stdout) {
    const [place = '', text = ''] = line.split('\0', 2);
    texts.get(place.slice(commit.length + 1))?.push(text);
  }
  return new Map([...texts].map(([path, lines]) => [path, Buffer.from(`${lines.join('\n')}\n`)]));
}
