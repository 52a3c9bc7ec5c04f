/** Where letters of a title were found, from and up to (not included). */
export type Range = readonly [from: number, to: number];
export type Match = { score: number; ranges: Range[] };

/** How good a word of what was typed is found: at the beginning of a word, within one, or letter by letter. */
const SCORE = { whole: 8, start: 6, inside: 3, letters: 1 } as const;
/** Longer texts are not looked at to their end. */
const LOOKED_AT_MAX = 200;

const isEdge = (text: string, at: number): boolean => at === 0 || /[^\p{L}\p{N}]/u.test(text.charAt(at - 1));

function bestPlace(title: string, word: string): { at: number; score: number } | undefined {
  let found: { at: number; score: number } | undefined;
  for (let at = title.indexOf(word); at !== -1; at = title.indexOf(word, at + 1)) {
    if (isEdge(title, at)) {
      const isWhole = at + word.length === title.length || isEdge(title, at + word.length + 1);
      return { at, score: isWhole ? SCORE.whole : SCORE.start };
    }
    found ??= { at, score: SCORE.inside };
  }
  return found;
}

/** Its letters in their order, the first of them at the beginning of a word. */
function letterByLetter(title: string, word: string): Match | undefined {
  const ranges: Range[] = [];
  let from = 0;
  for (const letter of word) {
    let at = title.indexOf(letter, from);
    while (ranges.length === 0 && at !== -1 && !isEdge(title, at)) at = title.indexOf(letter, at + 1);
    if (at === -1) return undefined;
    ranges.push([at, at + letter.length]);
    from = at + letter.length;
  }
  return { score: SCORE.letters, ranges };
}

function wordIn(title: string, word: string): Match | undefined {
  const place = bestPlace(title, word);
  if (place !== undefined) return { score: place.score, ranges: [[place.at, place.at + word.length]] };
  return letterByLetter(title, word);
}

/** How well a title has every word that was typed; undefined: it has not. Nothing typed suits everything. */
export function match(title: string, typed: string): Match | undefined {
  const text = title.slice(0, LOOKED_AT_MAX).toLowerCase();
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found: Match = { score: 0, ranges: [] };
  for (const word of words) {
    const one = wordIn(text, word);
    if (one === undefined) return undefined;
    found.score += one.score;
    found.ranges.push(...one.ranges);
  }
  // Of two that have the words alike, the shorter one was meant.
  found.score -= text.length / LOOKED_AT_MAX;
  if (words.length > 0 && text.startsWith(words.join(' '))) found.score += SCORE.start;
  return found;
}

/** The parts of a title, with what was found apart. */
export function marked(title: string, ranges: readonly Range[]): { text: string; isFound: boolean }[] {
  const parts: { text: string; isFound: boolean }[] = [];
  let done = 0;
  for (const [from, to] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (to <= done) continue;
    parts.push({ text: title.slice(done, Math.max(done, from)), isFound: false });
    parts.push({ text: title.slice(Math.max(done, from), to), isFound: true });
    done = to;
  }
  parts.push({ text: title.slice(done), isFound: false });
  return parts.filter(({ text }) => text !== '');
}
