import * as z from 'zod';

/** A worker may send no larger body: one text holds it. */
export const FRAME_BYTES_MAX = 256 * 1024 * 1024;
/** The list of nodes of every graph is in one header. */
const HEADER_BYTES_MAX = 4 * 1024 * 1024;
const NEWLINE = 10;

const frameHeader = z.looseObject({
  id: z.int().optional(),
  e: z.string(),
  n: z.int().min(0).max(FRAME_BYTES_MAX),
});

export type FrameHeader = z.infer<typeof frameHeader>;
export type Frame = { readonly header: FrameHeader; readonly body: Buffer };

/** What was read is no frame: the connection is of no use from here on. */
export class FrameError extends Error {}

/** A frame: one line of JSON, in which `n` is how many raw bytes follow. */
export function frame(header: { readonly id: number; readonly op: string }, body = ''): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...header, n: bytes.length })}\n`), bytes]);
}

/** Takes frames out of the bytes of a connection, however they are cut. */
export class FrameReader {
  #parts: Buffer[] = [];
  #length = 0;
  #header: FrameHeader | undefined;

  /** The frames that are complete with these bytes. Throws a FrameError. */
  push(bytes: Buffer): Frame[] {
    const frames: Frame[] = [];
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#header === undefined) {
        const end = rest.indexOf(NEWLINE);
        if (end < 0) {
          this.#keepHeader(rest);
          break;
        }
        this.#header = readHeader(this.#take(rest.subarray(0, end)));
        rest = rest.subarray(end + 1);
      }
      const missing = this.#header.n - this.#length;
      if (rest.length < missing) {
        this.#keep(rest);
        break;
      }
      frames.push({ header: this.#header, body: this.#take(rest.subarray(0, missing)) });
      this.#header = undefined;
      rest = rest.subarray(missing);
    }
    return frames;
  }

  #keepHeader(bytes: Buffer): void {
    this.#keep(bytes);
    if (this.#length > HEADER_BYTES_MAX)
      throw new FrameError(`a header has more than ${HEADER_BYTES_MAX} bytes`);
  }

  #keep(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  #take(last: Buffer): Buffer {
    if (this.#parts.length === 0) return last;
    const all = Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#length = 0;
    return all;
  }
}

function readHeader(line: Buffer): FrameHeader {
  try {
    return frameHeader.parse(JSON.parse(line.toString()));
  } catch (error) {
    throw new FrameError(`no header of a frame: ${line.toString().slice(0, 200)}`, { cause: error });
  }
}
