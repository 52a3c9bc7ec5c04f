import fs from 'node:fs';
import { Errors, readBlob, readCommit, readTree } from 'isomorphic-git';
import { SourceError } from '../git.ts';
import { commitOf, isObjectId, refName, unreadable } from '../git-errors.ts';
import { commitsBetween, type Node, seenOf } from '../history.ts';
import type { GuardedFetch } from '../outbound/guarded-fetch.ts';
import type { Repositories, SeenBranches, SeenCommit, SeenFiles, SeenHistory } from '../repositories.ts';
import { askServer, findCommit, listRefs, type Server, serverReason } from './git.ts';
import { addObjects, withObjects } from './git-pack.ts';

/** A page waits for it, behind a function that ends at 29 s, and a look may ask for branches and then for files. */
const TIMEOUT_SECONDS = 12;
/** Generations of a history that are fetched: some hundred bytes a commit. */
const DEPTH = 50;
const COMMITS_MAX = 1_000;
/** Each is an object that is unpacked. */
const FOLDERS_MAX = 1_500;
const PATHS_MAX = 20_000;

type Options = { fetch: GuardedFetch; timeoutSeconds?: number };

/** Reads repositories over smart HTTP, without git. */
export function createHttpRepositories({ fetch, timeoutSeconds = TIMEOUT_SECONDS }: Options): Repositories {
  const asking =
    <A, T>(read: (server: Server, asked: A) => Promise<T>) =>
    (repoUrl: string, asked: A, credentials: Parameters<Repositories['branches']>[1]) =>
      askServer(repoUrl, { fetch, timeoutSeconds, credentials }, (server) => read(server, asked), reasonOf);
  const branches = asking(readBranches);
  return {
    branches: (repoUrl, credentials) => branches(repoUrl, undefined, credentials),
    history: asking(readHistory),
    files: asking(readFiles),
  };
}

/** What a server sends is not of ours: whatever is wrong with it, the repository cannot be read. */
function reasonOf(error: unknown): string {
  const said = serverReason(error);
  if (said !== undefined) return said;
  return error instanceof Error && error.message.includes('not our ref')
    ? 'the commit is not there'
    : 'what its server sends cannot be read';
}

async function readBranches(server: Server): Promise<SeenBranches> {
  const prefix = refName('');
  const [heads, all] = await Promise.all([
    listRefs({ ...server, prefix: 'HEAD', symrefs: true }),
    listRefs({ ...server, prefix }),
  ]);
  const target = heads.find(({ ref }) => ref === 'HEAD')?.target;
  const commits = all.filter(({ ref, oid }) => ref.startsWith(prefix) && isObjectId(oid));
  return {
    defaultBranch: target?.startsWith(prefix) ? target.slice(prefix.length) : undefined,
    commits: new Map(commits.map(({ ref, oid }) => [ref.slice(prefix.length), oid])),
  };
}

async function commitAt(server: Server, ref: string): Promise<string> {
  const commit = commitOf(ref) ?? (await findCommit(server, ref));
  // What unpacks objects here knows the other kind alone.
  if (commit.length === 64)
    throw new SourceError(unreadable(server.url, 'it uses SHA-256, so that only a build can look into it'));
  return commit;
}

const isMissing = (error: unknown): boolean => error instanceof Errors.NotFoundError;

async function readHistory(
  server: Server,
  { ref, since, limit }: Parameters<Repositories['history']>[1],
): Promise<SeenHistory> {
  const head = await commitAt(server, ref);
  const read = (...ids: string[]) =>
    withObjects(server, { ids, depth: DEPTH, filter: 'tree:0' }, (gitdir) => graphIn(gitdir, ids));
  const isCompared = since !== undefined && since !== head && since.length === head.length;
  // After a forced push the host may have forgotten what serves.
  const graph = isCompared ? await read(head, since).catch(() => read(head)) : await read(head);
  return commitsBetween(graph, { head, since, limit });
}

async function graphIn(gitdir: string, ids: readonly string[]): Promise<Map<string, Node>> {
  const graph = new Map<string, Node>();
  const cache = {};
  const queue = [...ids];
  for (let oid = queue.shift(); oid !== undefined && graph.size < COMMITS_MAX; oid = queue.shift()) {
    if (graph.has(oid)) continue;
    const read = await readCommit({ fs, gitdir, oid, cache }).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (read === undefined) continue;
    const { parent, committer } = read.commit;
    graph.set(oid, { ...said(oid, read.commit), parents: parent, time: committer.timestamp });
    queue.push(...parent);
  }
  return graph;
}

type Commit = Awaited<ReturnType<typeof readCommit>>['commit'];

const said = (sha: string, { message, author }: Commit): SeenCommit => ({
  sha,
  message,
  author: author.name,
  at: new Date(author.timestamp * 1000).toISOString(),
});

async function readFiles(
  server: Server,
  { ref, pick }: Parameters<Repositories['files']>[1],
): Promise<SeenFiles> {
  const commit = await commitAt(server, ref);
  return withObjects(server, { ids: [commit], depth: 1, filter: 'blob:none' }, async (gitdir) => {
    const cache = {};
    const read = await readCommit({ fs, gitdir, oid: commit, cache });
    const files = await filesIn(gitdir, read.commit.tree, cache);
    const picked = pick([...files.keys()]).flatMap((path): [string, string][] => {
      const oid = files.get(path);
      return oid === undefined ? [] : [[path, oid]];
    });
    const ids = [...new Set(picked.map(([, oid]) => oid))];
    if (ids.length > 0) await addObjects(server, { ids }, gitdir, 'files');
    const texts = new Map<string, Uint8Array>();
    for (const [path, oid] of picked) texts.set(path, (await readBlob({ fs, gitdir, oid })).blob);
    return { commit: seenOf(said(commit, read.commit)), paths: [...files.keys()], texts };
  });
}

type Folder = { oid: string; path: string };

/** Files by their paths, with their ids; those that lie higher first. */
async function filesIn(gitdir: string, root: string, cache: object): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const queue: Folder[] = [{ oid: root, path: '' }];
  for (const [folders, { oid, path }] of queue.entries()) {
    if (folders === FOLDERS_MAX || files.size >= PATHS_MAX) break;
    const { tree } = await readTree({ fs, gitdir, oid, cache });
    for (const { type, mode, oid: id, path: name } of tree) {
      const way = path === '' ? name : `${path}/${name}`;
      if (type === 'tree') queue.push({ oid: id, path: way });
      else if (type === 'blob' && mode !== '120000') files.set(way, id);
    }
  }
  return files;
}
