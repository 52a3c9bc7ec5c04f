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
