import { useEffect, useState } from 'preact/hooks';
import { ago, shortAgo } from '../logic/time.ts';

const TICK_MILLISECONDS = 1_000;
const SLOW_TICK_MILLISECONDS = 30_000;

/** The time now, in epoch milliseconds, again and again while the page is seen. */
export function useNow(isQuick = false): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(
      () => document.visibilityState === 'visible' && setNow(Date.now()),
      isQuick ? TICK_MILLISECONDS : SLOW_TICK_MILLISECONDS,
    );
    return () => clearInterval(timer);
  }, [isQuick]);
  return now;
}

/** How long ago; the exact time on hover. */
export function Time({ at }: { at: string }) {
  // Something may have happened since the last tick.
  useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ago(at, Date.now())}
    </time>
  );
}

/** The same for a narrow column: `2 h`. */
export function ShortTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {shortAgo(at, useNow())}
    </time>
  );
}
