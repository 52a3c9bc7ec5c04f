import fs from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { indexPack, init } from 'isomorphic-git';
import type { GitHttp } from './git-http.ts';

export type LookServer = { http: GitHttp; url: string; headers?: { authorization?: string } };

/** What is fetched: objects by their ids, and what of their history and content comes along. */
export type Wanted = {
  ids: readonly string[];
  /** So many commits of each history; absent: the objects alone, of which none is a commit. */
  depth?: number;
  /** As git's own option `--filter` has it. */
  filter?: string;
};

/**
 * Fetches objects into a repository of their own, which is there while `use` reads it. The folder with its
 * objects is `gitdir`. Throws for whatever is in the way: a server that cannot leave files out, more than is
 * read, an object that is gone.
 */
export async function withObjects<T>(
  server: LookServer,
  wanted: Wanted,
  use: (gitdir: string) => Promise<T>,
): Promise<T> {
  const pack = await fetchPack(server, wanted);
  const gitdir = await mkdtemp(join(tmpdir(), 'slipway-look-'));
  try {
    await init({ fs, dir: gitdir, gitdir, bare: true });
    await addPack(gitdir, pack, 'fetched');
    return await use(gitdir);
  } finally {
    await rm(gitdir, { recursive: true, force: true });
  }
}

/** Fetches more objects into the same repository. `name`: of the pack, another one than before. */
export async function addObjects(
  server: LookServer,
  wanted: Wanted,
  gitdir: string,
  name: string,
): Promise<void> {
  await addPack(gitdir, await fetchPack(server, wanted), name);
}

async function addPack(gitdir: string, pack: Uint8Array, name: string): Promise<void> {
  const filepath = `objects/pack/pack-${name}.pack`;
  await mkdir(join(gitdir, 'objects/pack'), { recursive: true });
  await writeFile(join(gitdir, filepath), pack);
  await indexPack({ fs, dir: gitdir, gitdir, filepath });
}

/** Git's pkt-line format: four hex digits with the length, themselves included, before each line. */
const line = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const DELIMITER = '0001';
const FLUSH = '0000';

/** `fetch` of version 2 of git's protocol (gitprotocol-v2), for what isomorphic-git cannot ask: a filter. */
async function fetchPack(
  { http, url, headers = {} }: LookServer,
  { ids, depth, filter }: Wanted,
): Promise<Uint8Array> {
  const request = [
    line('command=fetch\n'),
    DELIMITER,
    ...[
      'no-progress',
      'ofs-delta',
      ...ids.map((id) => `want ${id}`),
      ...(depth === undefined ? [] : [`deepen ${depth}`]),
      ...(filter === undefined ? [] : [`filter ${filter}`]),
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
