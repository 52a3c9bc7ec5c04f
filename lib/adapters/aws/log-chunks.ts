import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { logLevels } from '../../contract/log-level.ts';
import { cleanMessage } from '../../domain/log-line.ts';
import type { LogLine } from '../logs.ts';

/**
 * Before compression, which then can only help: a chunk is an item, and reading one pays for the whole of it.
 */
const CHUNK_SIZE_BYTES_MAX = 96 * 1024;
/**
 * Clients that follow by time ask for pages of 100 from the newest time on: more lines of one millisecond
 * would hold them there.
 */
const LINES_PER_MILLISECOND_MAX = 20;

const storedLine = z.tuple([z.number(), z.enum(logLevels), z.string()]);

/** Epoch milliseconds at which the revision with this UUIDv7 was accepted. */
export const createdAt = (revisionId: string): number =>
  Number.parseInt(revisionId.replaceAll('-', '').slice(0, 12), 16);

type Bounds = { last: number; earliest: number; now: number };

/**
 * Lines in time's order, cut into chunks. A chunk begins later than the one before it ends; a time never goes
 * back, never lies before its revision, and is not ahead of ours, or a writer's wrong clock would hold back
 * all later lines.
 */
export function chunksOf(lines: LogLine[], { last, earliest, now }: Bounds): LogLine[][] {
  const chunks: LogLine[][] = [];
  let chunk: LogLine[] = [];
  let sizeBytes = Number.POSITIVE_INFINITY;
  let newest = last;
  let sharing = 0;
  for (const line of lines.toSorted((a, b) => a.timestamp - b.timestamp)) {
    const message = cleanMessage(line.message);
    const lineBytes = Buffer.byteLength(JSON.stringify([line.timestamp, line.level, message])) + 1;
    const begins = sizeBytes + lineBytes > CHUNK_SIZE_BYTES_MAX;
    if (begins) chunks.push((chunk = []));
    sizeBytes = begins ? lineBytes : sizeBytes + lineBytes;
    const wanted = Math.max(Math.min(Math.trunc(line.timestamp), now), earliest);
    const later = begins || sharing >= LINES_PER_MILLISECOND_MAX;
    const timestamp = Math.max(wanted, newest + (later ? 1 : 0));
    sharing = timestamp === newest ? sharing + 1 : 1;
    newest = timestamp;
    chunk.push({ timestamp, level: line.level, message });
  }
  return chunks;
}

export const packLines = (lines: LogLine[]): Uint8Array =>
  gzipSync(
    lines.map(({ timestamp, level, message }) => JSON.stringify([timestamp, level, message])).join('\n'),
  );

export function unpackLines(packed: Uint8Array): LogLine[] {
  const texts = gunzipSync(packed).toString().split('\n');
  return texts.map((text) => {
    const [timestamp, level, message] = storedLine.parse(JSON.parse(text));
    return { timestamp, level, message };
  });
}
