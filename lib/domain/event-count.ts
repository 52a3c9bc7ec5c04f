/** How many events a deployment has had, and the names of the newest of them, oldest first. */
export type EventCount = { sequence: number; recent: readonly string[] };

/** So many names are remembered: more than the events of one deployment in a batch of records that is delivered again. */
const RECENT_MAX = 64;

/**
 * Numbers events in the order in which they are named. One that is remembered has its number already and keeps it: the record it came from
 * was delivered again. Gives the count afterwards (the same object when nothing was new), and a number for each name.
 */
export function numberEvents(
  count: EventCount,
  names: readonly string[],
): { count: EventCount; numbers: number[] } {
  const recent = [...count.recent];
  let { sequence } = count;
  const numbers = names.map((name) => {
    const place = recent.lastIndexOf(name);
    if (place >= 0) return sequence - (recent.length - 1 - place);
    recent.push(name);
    sequence += 1;
    return sequence;
  });
  if (sequence === count.sequence) return { count, numbers };
  return { count: { sequence, recent: recent.slice(-Math.max(RECENT_MAX, names.length)) }, numbers };
}
