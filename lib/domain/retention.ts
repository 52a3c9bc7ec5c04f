/** An artifact that is stored: the number of the revision whose build made it, and its size. */
export type StoredArtifact = { number: number; sizeBytes: number };

export type Retention = {
  /** Newest first. */
  kept: StoredArtifact[];
  /** What is to be deleted. No revision may use it from now on. */
  dropped: StoredArtifact[];
};

/**
 * What was stored before there was a rule may be much; the numbers of what goes are written into one item.
 */
const DROPPED_AT_ONCE_MAX = 100;

/**
 * Which artifacts of a deployment stay: the `newest` so many, and those that are `needed` whatever their age
 * (of the active revision, and of those that are queued or run). What was `dropped` before stays so: it may
 * be being deleted at this moment. Any other can be built again.
 */
export function retain(
  stored: readonly StoredArtifact[],
  needed: ReadonlySet<number>,
  dropped: ReadonlySet<number>,
  newest: number,
): Retention {
  const inOrder = [...stored].sort((one, other) => other.number - one.number);
  const standing = inOrder.filter(({ number }) => !dropped.has(number));
  const [kept, unneeded] = divide(standing, ({ number }, index) => index < newest || needed.has(number));
  const going = unneeded.slice(-DROPPED_AT_ONCE_MAX);
  const waiting = unneeded.slice(0, unneeded.length - going.length);
  const already = inOrder.filter(({ number }) => dropped.has(number));
  return { kept: [...kept, ...waiting], dropped: [...already, ...going] };
}

function divide<T>(items: readonly T[], isFirst: (item: T, index: number) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item, index) => !isFirst(item, index))];
}
