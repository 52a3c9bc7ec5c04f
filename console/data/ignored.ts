import { type IgnoredFields, ignoredIn } from '../logic/ignored.ts';

let now: IgnoredFields = [];
const told = new Set<() => void>();

function become(next: IgnoredFields): void {
  now = next;
  for (const tell of told) tell();
}

/** Keeps what the newest answer that says so calls ignored, until somebody has seen it. */
export function noteIgnored(header: string | null): void {
  if (header !== null) become(ignoredIn(header));
}

export const ignoredNow = (): IgnoredFields => now;
export const forgetIgnored = (): void => become([]);

/** Hears of what is ignored; what it returns ends that. */
export function onIgnored(listener: () => void): () => void {
  told.add(listener);
  return () => told.delete(listener);
}
