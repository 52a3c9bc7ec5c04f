import fs from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { indexPack, init, readCommit, TREE, walk } from 'isomorphic-git';
import type { AskedCommit, CommitLook } from '../git.ts';
import type { GitHttp } from './git-http.ts';

export type LookServer = { http: GitHttp; url: string; headers?: { authorization?: string } };

const PACK = 'objects/pack/pack-fetched.pack';

/**
 * What a commit says of itself, and which paths differ between it and `since`: with one request, for two
 * commits and their trees, without history and files. Throws for whatever is in the way: a server that
 * cannot leave files out, more than is read, a commit that is gone.
 */
export async function lookAtCommit(server: LookServer, { commit, since }: AskedCommit): Promise<CommitLook> {
  const wanted = since === undefined ? [commit] : [commit, since];
  const pack = await fetchPack(server, wanted, since === undefined ? 'tree:0' : 'blob:none').catch(
    (error: unknown) => {
      if (since === undefined) throw error;
      // What was considered last may be gone, after a forced push: the commit itself can still be described.
      return undefined;
    },
  );
  if (pack === undefined) return lookAtCommit(server, { commit, since: undefined });
  const gitdir = await mkdtemp(join(tmpdir(), 'slipway-look-'));
  try {
    await init({ fs, dir: gitdir, gitdir, bare: true });
    await mkdir(join(gitdir, 'objects/pack'), { recursive: true });
    await writeFile(join(gitdir, PACK), pack);
    await indexPack({ fs, dir: gitdir, gitdir, filepath: PACK });
    return await read(gitdir, commit, since);
  } finally {
    await rm(gitdir, { recursive: true, force: true });
  }
}

async function read(gitdir: string, commit: string, since: string | undefined): Promise<CommitLook> {
  const cache = {};
  const found = await readCommit({ fs, gitdir, oid: commit, cache });
  const { message, author } = found.commit;
  const at = new Date(author.timestamp * 1000).toISOString();
  const said = { message, author: author.name, at };
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

/** Git's pkt-line format: four hex digits with the length, themselves included, before each line. */
const line = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const DELIMITER = '0001';
const FLUSH = '0000';

/** `fetch` of version 2 of git's protocol (gitprotocol-v2), for what isomorphic-git cannot ask: a filter. */
async function fetchPack(
  { http, url, headers = {} }: LookServer,
  wanted: readonly string[],
  filter: string,
): Promise<Uint8Array> {
  const request = [
    line('command=fetch\n'),
    DELIMITER,
    ...[
      'no-progress',
      'ofs-delta',
      ...wanted.map((id) => `want ${id}`),
      'deepen 1',
      `filter ${filter}`,
      'done',
    ].map((argument) => line(`${argument}\n`)),
    FLUSH,
  ].join('');
  const { statusCode, body } = await http.request({
    url: `${url.replace(/\/+$/, '')}/git-upload-pack`,
    method: 'POST',
    headers: {
      ...headers,
      'git-protocol': 'version=2',
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
    },
    body: once(Buffer.from(request)),
  });
  if (statusCode !== 200 || body === undefined) throw new Error(`the server answered HTTP ${statusCode}`);
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return packOf(Buffer.concat(parts));
}

async function* once(bytes: Uint8Array): AsyncIterableIterator<Uint8Array> {
  yield bytes;
}

/** The bytes of the section `packfile`: those of its first side band. The third tells of an error. */
function packOf(answer: Buffer): Buffer {
  const parts: Buffer[] = [];
  let isInPack = false;
  for (const content of linesOf(answer)) {
    if (!isInPack) {
      const text = content.toString('utf8');
      if (text.startsWith('ERR ')) throw new Error(text);
      isInPack = text === 'packfile\n';
    } else if (content[0] === 1) parts.push(content.subarray(1));
    else if (content[0] === 3) throw new Error(content.subarray(1).toString('utf8'));
  }
  if (parts.length === 0) throw new Error('the server sent no pack');
  return Buffer.concat(parts);
}

function* linesOf(answer: Buffer): Generator<Buffer> {
  let at = 0;
  while (at < answer.length) {
    const sizeBytes = Number.parseInt(answer.toString('latin1', at, at + 4), 16);
    if (Number.isNaN(sizeBytes)) throw new Error('the server does not answer as a git server does');
    // Flush, delimiter and the end of a response have no content.
    if (sizeBytes >= 4) yield answer.subarray(at + 4, at + sizeBytes);
    at += Math.max(sizeBytes, 4);
  }
}
