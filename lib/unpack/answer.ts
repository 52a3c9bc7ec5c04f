import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { createExtractor, type Extractor } from './extractor.ts';
import { UnpackRefused } from './refused.ts';
import type { UnpackAnswer, UnpackRequest } from './unpack.ts';

const CHUNK_BYTES = 64 * 1024;
const REASON_CHARACTERS_MAX = 500;
const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTANDARD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

async function unpack(request: UnpackRequest, extractor: Extractor): Promise<UnpackAnswer['outcome']> {
  if (request.sha256 !== undefined && (await digestOf(request.file)) !== request.sha256) return 'changed';
  const inflate = inflaterFor(await headOf(request.file), request);
  const source = createReadStream(request.file, { highWaterMark: CHUNK_BYTES });
  await feed(source, inflate, extractor);
  extractor.finish();
  return 'unpacked';
}

/** Reads no further than to the end of the archive: behind it a few bytes can become any number. */
async function feed(source: Readable, inflate: Transform, extractor: Extractor): Promise<void> {
  source.on('error', (error) => inflate.destroy(error));
  source.pipe(inflate);
  try {
    // A stream of bytes: nothing set an encoding or object mode on it.
    for await (const chunk of inflate as AsyncIterable<Buffer>) if (extractor.write(chunk)) return;
  } finally {
    source.destroy();
  }
}

function inflaterFor(head: Buffer, { compression }: UnpackRequest): Transform {
  if (head.length === 0) throw new UnpackRefused('it is empty');
  const begins = (mark: Buffer) => head.subarray(0, mark.length).equals(mark);
  if (begins(GZIP)) return createGunzip({ chunkSize: CHUNK_BYTES });
  if (compression === 'gzip') throw new UnpackRefused('it is not gzip-compressed');
  return begins(ZSTANDARD) ? createZstdDecompress({ chunkSize: CHUNK_BYTES }) : plain();
}

const plain = (): Transform => new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) });

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ZSTANDARD.length), 0, ZSTANDARD.length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The SHA-256 of a file, in hex. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** In words for whoever made the archive; a path of this machine is nothing to tell. */
function reasonOf(error: unknown, { file, folder }: UnpackRequest): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOENT' && 'path' in error && error.path === file)
    return 'it is not stored any more';
  const text = error.message.replaceAll(`${folder}/`, '').replaceAll(folder, '.');
  return text.slice(0, REASON_CHARACTERS_MAX);
}

/** Unpacks what a request in JSON says. Gives the answer in one line of JSON. */
export async function answerFor(text: string): Promise<string> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by unpack.ts
  const request = JSON.parse(text) as UnpackRequest;
  const extractor = createExtractor(request);
  const answer = await unpack(request, extractor).then(
    (outcome) => ({ outcome }),
    (error: unknown) => ({ outcome: 'refused', reason: reasonOf(error, request) }),
  );
  return JSON.stringify({ ...answer, ...extractor.counts });
}
