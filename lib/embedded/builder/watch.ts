import { setTimeout as delay } from 'node:timers/promises';
import { BuildAborted } from './failure.ts';
import { folderSizeBytes } from './work-folder.ts';

/** How long one build may run and how much it may write. */
export type BuildLimits = { buildSeconds: number; folderBytesMax: number; folderCheckMilliseconds: number };

export const defaultLimits: BuildLimits = {
  // Three times what a slow install with a native build takes.
  buildSeconds: 30 * 60,
  folderBytesMax: 2 * 1024 ** 3,
  // A disk takes some hundred megabytes a second, so the overshoot stays about as large as the limit.
  folderCheckMilliseconds: 5_000,
};

/** Ends the build when its time is over or its folder too large. The result ends the watch. */
export function watchLimits(folder: string, limits: BuildLimits, controller: AbortController): () => void {
  const timer = setTimeout(() => controller.abort(new BuildAborted('too_long')), limits.buildSeconds * 1000);
  const ended = new AbortController();
  void watchSize(folder, limits, controller, ended.signal);
  return () => {
    clearTimeout(timer);
    ended.abort();
  };
}

async function watchSize(
  folder: string,
  limits: BuildLimits,
  controller: AbortController,
  ended: AbortSignal,
) {
  for (;;) {
    await delay(limits.folderCheckMilliseconds, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted || controller.signal.aborted) return;
    if ((await folderSizeBytes(folder)) > limits.folderBytesMax)
      controller.abort(new BuildAborted('too_large'));
  }
}
