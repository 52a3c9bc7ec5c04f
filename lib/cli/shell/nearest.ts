/** Words are compared by their beginnings: nobody mistypes more than this. */
const COMPARED_MAX = 64;
const DISTANCE_MAX = 2;

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [index, letter] of one.split('').entries()) {
    const next = [index + 1];
    for (let at = 0; at < other.length; at += 1) {
      const replaced = (row[at] ?? 0) + (letter === other[at] ? 0 : 1);
      next.push(Math.min((next[at] ?? 0) + 1, (row[at + 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The name that was probably meant (Levenshtein distance of at most 2); undefined: none is near. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const compared = word.slice(0, COMPARED_MAX);
  const near = names
    .map((name) => ({ name, away: distance(compared, name.slice(0, COMPARED_MAX)) }))
    // Of a word of three letters two others are another word.
    .filter(({ away }) => away <= Math.min(DISTANCE_MAX, Math.floor(word.length / 2)));
  return near.toSorted((a, b) => a.away - b.away)[0]?.name;
}
