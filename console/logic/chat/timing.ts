import type { ChatMessage } from './message.ts';

/** When the page first saw something and when it was done, in milliseconds of one clock. */
export type Timings = ReadonlyMap<string, { from: number; to?: number }>;

/** With what is new: calls of tools that began, and those that were answered. */
export function timed(before: Timings, messages: readonly ChatMessage[], now: number): Timings {
  const after = new Map(before);
  for (const { id, result } of messages.flatMap(({ calls }) => calls)) {
    const known = after.get(id);
    // One that has been answered before it was first seen took nobody knows how long.
    if (known === undefined) after.set(id, result === undefined ? { from: now } : { from: now, to: now });
    else if (known.to === undefined && result !== undefined) after.set(id, { ...known, to: now });
  }
  return after;
}

/** How long something took; undefined: the page has not seen it begin and end. */
export function tookSeconds(timings: Timings, id: string): string | undefined {
  const known = timings.get(id);
  if (known?.to === undefined || known.to === known.from) return undefined;
  return seconds(known.to - known.from);
}

/** `2.1 s`, and whole minutes for what takes that long. */
export function seconds(milliseconds: number): string {
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return `${Math.round(milliseconds / 60_000)} min`;
}
