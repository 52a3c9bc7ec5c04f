import fs from 'node:fs';
import { readCommit, TREE, walk } from 'isomorphic-git';
import type { AskedCommit, CommitLook } from '../git.ts';
import { seenWords } from '../history.ts';
import { type LookServer, withObjects } from './git-pack.ts';

/**
 * What a commit says of itself, and which paths differ between it and `since`: with one request, for two
 * commits and their trees, without history and files. Throws for whatever is in the way: a server that
 * cannot leave files out, more than is read, a commit that is gone.
 */
export async function lookAtCommit(server: LookServer, { commit, since }: AskedCommit): Promise<CommitLook> {
  const look = (wanted: { ids: string[]; filter: string }, known: string | undefined) =>
    withObjects(server, { ...wanted, depth: 1 }, (gitdir) => read(gitdir, commit, known));
  const alone = () => look({ ids: [commit], filter: 'tree:0' }, undefined);
  if (since === undefined) return alone();
  // What was considered last may be gone, after a forced push: the commit itself can still be described.
  return look({ ids: [commit, since], filter: 'blob:none' }, since).catch(alone);
}

async function read(gitdir: string, commit: string, since: string | undefined): Promise<CommitLook> {
  const cache = {};
  const found = await readCommit({ fs, gitdir, oid: commit, cache });
  const { message, author } = found.commit;
  const at = new Date(author.timestamp * 1000).toISOString();
  const said = seenWords({ message, author: author.name, at });
  if (since === undefined) return { said, changed: undefined };
  const changed: string[] = [];
  await walk({
    fs,
    gitdir,
    cache,
    trees: [TREE({ ref: since }), TREE({ ref: commit })],
    map: async (path, [before, after]) => {
      const [old, now] = await Promise.all([before?.oid(), after?.oid()]);
      // Nothing differs below; null ends the walk there.
      if (path !== '.' && old === now) return null;
      const types = await Promise.all([before?.type(), after?.type()]);
      if (types.some((type) => type !== undefined && type !== 'tree')) changed.push(path);
      return path;
    },
  });
  return { said, changed };
}
