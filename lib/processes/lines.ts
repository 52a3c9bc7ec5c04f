/** A line longer than this is cut: one runaway line must not fill memory or a log store. */
export const LINE_BYTES_MAX = 16 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Shortens UTF-8 bytes to `bytesMax` without leaving half a character at the end. */
function cutBytes(bytes: Buffer, bytesMax: number): Buffer {
  if (bytes.length <= bytesMax) return bytes;
  let end = bytesMax;
  while (end > bytesMax - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

/** Shortens text to `bytesMax` bytes of UTF-8. */
export function cutText(text: string, bytesMax = LINE_BYTES_MAX): string {
  if (text.length * 3 <= bytesMax) return text;
  const bytes = Buffer.from(text);
  return bytes.length <= bytesMax ? text : cutBytes(bytes, bytesMax).toString();
}

/**
 * Splits a stream of bytes into lines. Invalid UTF-8 becomes U+FFFD; what a line has beyond `bytesMax` is
 * dropped as it comes, so memory stays bounded; `end` delivers a last line without line break. Each state of
 * a line that is written over and over, as progress is shown, is a line too, unless only a `newline` ends
 * one.
 */
export class LineSplitter {
  readonly #deliver: (line: string, isCut: boolean) => void;
  readonly #bytesMax: number;
  #parts: Buffer[] = [];
  readonly #returnsEndLines: boolean;
  #sizeBytes = 0;
  /** A return has just ended a line, which a newline behind it ends no second time. */
  #isReturned = false;

  constructor(
    deliver: (line: string, isCut: boolean) => void,
    bytesMax = LINE_BYTES_MAX,
    ends: 'newline' | 'newline or return' = 'newline or return',
  ) {
    this.#deliver = deliver;
    this.#bytesMax = bytesMax;
    this.#returnsEndLines = ends !== 'newline';
  }

  write(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      this.#take(chunk.subarray(start, at));
      if (!this.#isReturned) this.#flush();
      this.#isReturned = false;
      start = at + 1;
    }
    this.#take(chunk.subarray(start));
  }

  /** Takes a part of a line, in which returns may be. */
  #take(part: Buffer): void {
    let start = 0;
    if (this.#returnsEndLines)
      for (let at = part.indexOf(RETURN); at !== -1; at = part.indexOf(RETURN, start)) {
        this.#keep(part.subarray(start, at));
        // With nothing before it, a return changes nothing.
        if (this.#sizeBytes > 0) {
          this.#flush();
          this.#isReturned = true;
        }
        start = at + 1;
      }
    this.#keep(part.subarray(start));
  }

  end(): void {
    if (this.#sizeBytes > 0) this.#flush();
  }

  #keep(part: Buffer): void {
    // A few bytes more than the limit are kept, so that the cut can see whether a character goes on.
    const room = this.#bytesMax + 4 - this.#sizeBytes;
    if (part.length > 0) this.#isReturned = false;
    if (room <= 0 || part.length === 0) return;
    const kept = Buffer.from(part.subarray(0, room));
    this.#parts.push(kept);
    this.#sizeBytes += kept.length;
  }

  #flush(): void {
    const line = cutBytes(Buffer.concat(this.#parts), this.#bytesMax).toString();
    const isCut = this.#sizeBytes > this.#bytesMax;
    this.#parts = [];
    this.#sizeBytes = 0;
    this.#deliver(line.endsWith('\r') ? line.slice(0, -1) : line, isCut);
  }
}
