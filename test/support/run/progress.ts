const started = performance.now();

/** Says what goes on, with the seconds since the start. */
export function say(text: string): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${seconds} s  ${text}\n`);
}

/** Says when something begins and how long it took. */
export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  say(`${what} …`);
  const begun = performance.now();
  try {
    return await work();
  } finally {
    say(`${what}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  }
}
