export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

const TRIES_MAX = 6;
const FIRST_PAUSE_MILLISECONDS = 100;

/** Does what must not be left undone, again and again for some seconds; then throws what the last try threw. */
export async function persistently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === TRIES_MAX) throw error;
    }
    await pause(FIRST_PAUSE_MILLISECONDS * 2 ** (tries - 1));
  }
}

/** What the work comes to within so many milliseconds; undefined when it takes longer, and goes on. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    // Nobody waits any more for what is still under way.
    work.catch(() => undefined);
  }
}
