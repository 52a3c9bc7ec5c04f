import { LongestMatches } from './longest-matches.ts';
import { formsOf } from './mask-forms.ts';
import { percentDecoded } from './percent-text.ts';

const MASK = '***';
/** The forms for so short texts are always taken up together. */
const TEXT_BYTES_MIN = 1024;

export type Mask = (text: string) => string;

/**
 * Replaces each of `values` that has 8 or more characters by `***`, in all forms of it; where some overlap,
 * all of what they cover. A mask is made once for all lines that it is for: to make one takes time in
 * proportion to the values, to use it time in proportion to the text.
 */
export function createMask(values: Iterable<string>): Mask {
  const forms = [...values].flatMap(formsOf);
  let matches: LongestMatches | undefined;
  let textBytesMax = 0;
  return (text) => {
    if (forms.length === 0) return text;
    const bytes = Buffer.from(text);
    if (matches === undefined || bytes.length > textBytesMax) {
      // A form is not in a text that is shorter than it, and few lines are as long as the longest values. At
      // least twice the length each time, so all of these times together are at most twice the last.
      textBytesMax = Math.max(TEXT_BYTES_MIN, bytes.length, textBytesMax * 2);
      matches = new LongestMatches(forms.filter(({ length }) => length <= textBytesMax));
    }
    const covered = coveredBy(matches, bytes);
    return covered.length === 0 ? text : masked(bytes, covered);
  };
}

/** The same for one text. */
export const maskSecrets = (text: string, values: readonly string[]): string => createMask(values)(text);

type Range = { start: number; end: number };

/** What forms cover in a text or in what it decodes to, in order and apart from each other. */
function coveredBy(matches: LongestMatches, text: Uint8Array): Range[] {
  const ranges: Range[] = [];
  matches.find(text, (start, end) => cover(ranges, start, end));
  for (const { bytes, starts } of percentDecoded(text)) {
    const inDecoded: Range[] = [];
    matches.find(bytes, (start, end) => cover(inDecoded, start, end));
    if (inDecoded.length === 0) continue;
    const at = starts();
    for (const { start, end } of inDecoded) ranges.push({ start: at[start] ?? 0, end: at[end] ?? 0 });
  }
  const apart: Range[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.end - b.end)) cover(apart, start, end);
  return apart;
}

/** Adds a range that ends after all others. Those that it overlaps become one with it. */
function cover(ranges: Range[], from: number, end: number): void {
  let start = from;
  for (let last = ranges.at(-1); last !== undefined && last.end > start; last = ranges.at(-1)) {
    start = Math.min(start, last.start);
    ranges.pop();
  }
  ranges.push({ start, end });
}

function masked(text: Buffer, covered: readonly Range[]): string {
  const parts: string[] = [];
  let kept = 0;
  for (const { start, end } of covered) {
    parts.push(text.toString('utf8', kept, start), MASK);
    kept = end;
  }
  return parts.join('') + text.toString('utf8', kept);
}
